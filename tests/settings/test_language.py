"""Which language is spoken."""

from __future__ import annotations

import pytest

from desktop_app.settings.language import pick, system_locale


@pytest.mark.parametrize(
    ("setting", "system", "spoken"),
    [
        ("zh_CN", "en_US.UTF-8", "zh_CN"),
        ("en", "zh_CN.UTF-8", "en"),
        ("system", "zh_CN.GB18030", "zh_CN"),
        ("system", "zh-Hans-CN", "zh_CN"),
        (None, "de_DE.UTF-8", "en"),
        ("klingon", "", "en"),
    ],
)
def test_the_setting_wins_over_the_system(setting: str | None, system: str, spoken: str) -> None:
    assert pick(setting, system) == spoken


@pytest.mark.parametrize(
    ("environ", "locale"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN.UTF-8"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en_US.UTF-8"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, "zh_CN"),
        ({"LC_ALL": "C", "LANGUAGE": "zh_CN"}, "C"),
    ],
)
def test_the_environment_is_read_as_gettext_reads_it(environ: dict[str, str], locale: str) -> None:
    assert system_locale(environ) == locale
