"""Money in the window: never added across currencies, and what is not sure is said."""

from __future__ import annotations

from decimal import Decimal

from desktop_app.domain.money import Money
from desktop_app.domain.text import Translator
from desktop_app.ui import sums

TR = Translator()
Sums = tuple[Money, ...]


def test_money_is_never_added_across_currencies_and_unknown_is_a_dash() -> None:
    assert sums.spent(TR, (), 3) == "-"
    both = (Money(Decimal("1.480"), "CNY"), Money(Decimal("2.00"), "USD"))
    assert sums.spent(TR, both, 0) == "1.48 CNY + 2.00 USD"
    assert sums.spent(TR, both[:1], 2) == "1.48 CNY + 2 calls without a price"


def test_a_cap_stands_beside_what_is_spent() -> None:
    cap = Money(Decimal(2), "USD")
    both = (Money(Decimal("0.1"), "CNY"), Money(Decimal("1.480"), "USD"))
    assert sums.of_cap(TR, both, cap) == "1.48 of 2.00 USD + 0.10 CNY"
    assert sums.of_cap(TR, (), cap) == "0.00 of 2.00 USD"
    fine = (Money(Decimal("0.0005"), "USD"),)
    assert sums.of_cap(TR, fine, Money(Decimal("0.125"), "USD")) == "0.0005 of 0.125 USD"


def test_what_is_not_sure_about_the_bill_is_said() -> None:
    assert sums.bills(TR, (), 0) == ""
    said = sums.bills(TR, (Money(Decimal("0.120"), "USD"),), 1).splitlines()
    assert said == [
        "Reserved for calls whose bill is not known: 0.12 USD.",
        "1 call may have been charged a second time.",
    ]


def test_the_money_of_a_batch_in_one_line() -> None:
    spent, held, cap = ((Money(Decimal(x), "USD"),) for x in ("0.40", "0.30", "5"))
    yuan = (Money(Decimal(1), "CNY"),)

    def line(paid: Sums, reserved: Sums, double: int, most: Sums = ()) -> str:
        return sums.money_line(TR, paid, 0, reserved, double, most[0] if most else None)

    assert (
        line((), held, 2, cap)
        == "0.00 spent + 0.30 reserved of 5.00 USD; 2 calls may be paid twice"
    )
    assert line(spent, (), 0, cap) == "Spent 0.40 of 5.00 USD"
    assert line(spent, yuan, 0, cap) == "0.40 of 5.00 USD spent + 1.00 CNY reserved"
    assert line(spent, held, 0) == "0.40 USD spent + 0.30 USD reserved"
    assert line((), held, 1) == "0.30 USD reserved; 1 call may be paid twice"
    assert line((), (), 0) == "Spent -"
