"""Numbers and moments under format codes, as Excel shows them."""

from __future__ import annotations

import datetime as dt

import pytest

from desktop_app.ingest.date_format import Moment, date_format
from desktop_app.ingest.number_format import number_format


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("00000", 123, "00123"),
        ("00000", 1234567, "1234567"),
        ("#,##0.00", 1234567.891, "1,234,567.89"),
        ("0.0%", 0.125, "12.5%"),
        ("0%", 1, "100%"),
        ("0", 2.5, "3"),
        ("0.00", 1e30, f"1{'0' * 30}.00"),
        (f"0.{'0' * 30}", 0.5, f"0.5{'0' * 29}"),
        (f"0.{'0' * 200}", 1e308, f"1{'0' * 308}.{'0' * 200}"),
        ("0" + "%" * 250, 1e308, f"1{'0' * 808}{'%' * 250}"),
        (f"0.{'0' * 254}", 0.5, None),
        ("0", -2.5, "-3"),
        ("#,##0", 0, "0"),
        ("#", 0, ""),
        ('"¥"#,##0.00;[Red]-"¥"#,##0.00', -1234.5, "-¥1,234.50"),
        ('\\¥#,##0.00;[RED]"-¥"#,##0.00', -1234.5, "-¥1,234.50"),
        ("000-0000-0000", 13912345678, "139-1234-5678"),
        ("0.00E+00", 12345, "1.23E+04"),
        ("0.00E+00", 0.00012, "1.20E-04"),
        ("0.##", 1.5, "1.5"),
        ("0.##", 1, "1."),
        ("#,##0,", 1234567, "1,235"),
        ('0.0,,"M"', 1234567, "1.2M"),
        ("[$¥-804]#,##0.00", 5, "¥5.00"),
        ("General", 1, None),
        ("[>100]0;0.0", 1, None),
        ("# ?/?", 1.5, None),
        ("yyyy", 1, None),
        ("@", 1, None),
        ("#,##0;(#,##0)", -1234, "(1,234)"),
        ("0;-0;;@", 0, ""),
        ('0"件"', 3, "3件"),
        ("_-* #,##0.00_-;-* #,##0.00_-", -3, "-3.00"),
        ('_ ¥* #,##0.00_ ;_ ¥* -#,##0.00_ ;_ ¥* "-"??_ ;_ @_ ', 1299, "¥1,299.00"),
        ('_ ¥* #,##0.00_ ;_ ¥* -#,##0.00_ ;_ ¥* "-"??_ ;_ @_ ', 0, "¥-"),
        ("0.000", 1e-07, "0.000"),
        ("0", 12345678901234567890, "12345678901234600000"),
        ("0.00%", -0.00456, "-0.46%"),
        ("0.0", 0.25, "0.3"),
        ('0 "x" 0', 12, "1 x 2"),
        ("0.00E+00", 9.999, "1.00E+01"),
    ],
)
def test_numbers(code: str, value: float, shown: str | None) -> None:
    show = number_format(code)
    assert (None if show is None else show(value)) == shown


NOON = dt.datetime(2026, 11, 30, 14, 5, 6)  # noqa: DTZ001
LATE = dt.datetime(2026, 1, 1, 14, 5, 59, 999999)  # noqa: DTZ001
DAY = dt.date(2026, 2, 3)


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("yyyy-mm-dd", DAY, "2026-02-03"),
        ("yyyy/m/d", NOON, "2026/11/30"),
        ("yyyy-mm-dd h:mm:ss", NOON, "2026-11-30 14:05:06"),
        ("h:mm AM/PM", dt.time(9, 5), "9:05 AM"),
        ("h:mm AM/PM", NOON, "2:05 PM"),
        ("[hh]:mm:ss", dt.timedelta(hours=36, seconds=5), "36:00:05"),
        ("h:mm:ss", dt.time(14, 30), "14:30:00"),
        (r'yyyy\年m\月d"日 "hh:mm', NOON, "2026年11月30日 14:05"),
        ("d-mmm-yy", DAY, "3-Feb-26"),
        ("mm:ss", dt.time(1, 5, 6), "05:06"),
        ("[$-804]dddd", NOON, None),
        ("[$-F800]dddd, mmmm dd, yyyy", NOON, None),
        ("[$-409]d/m/yyyy;@", NOON, "30/11/2026"),
        ("aaaa", NOON, "星期一"),
        ("yyyy", dt.time(1, 0), None),
        ("General", NOON, None),
        ("mmm d", NOON, "Nov 30"),
        ("ss.000", dt.time(0, 0, 1, 250000), "01.250"),
        ("h:mm", LATE, "14:05"),
        ("h:mm:ss", LATE, "14:06:00"),
        ("[h]:mm", NOON, None),
        ("上午/下午h:mm", NOON, "下午2:05"),
        ("m/d", NOON, "11/30"),
        ("yyyy.mm.dd", NOON, "2026.11.30"),
        ("[m]:ss", dt.time(1, 1, 1), "61:01"),
    ],
)
def test_moments(code: str, value: Moment, shown: str | None) -> None:
    show = date_format(code)
    assert (None if show is None else show(value)) == shown


@pytest.mark.parametrize(
    "code", ["0;", ";;;", "", "[", '"', "\\", "0\\", "[h", "yyyy[$-411]e", "[DBNum1]0"]
)
def test_codes_that_make_no_sense_show_nothing_otherwise(code: str) -> None:
    number, date = number_format(code), date_format(code)
    assert number is None or number(-1.5) is not None
    assert date is None or date(NOON) is not None
