"""Test code for `altwalker walk`: a class for each model of the shop, with a method for each edge and vertex.

SHOP_FAULTS names the options of shop.py, such as --two-items.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import shop  # noqa: E402

program = None


def setUpRun():
    global program
    program = shop.Shop(os.environ.get("SHOP_FAULTS", "").split())


def step(event):
    assert program.do(event), f"the shop refuses {event}"


def page(expected, others=()):
    """Checks which page is there; from these others the walk goes on in another model."""
    if program.page in others:
        step(expected if "." in expected else f"{'Checkout' if expected == 'v_Thanks' else 'Shop'}.{expected}")
    assert program.page == expected, f"the page is {program.page}, not {expected}"


class Shop:
    def e_OpenShop(self):
        step("e_OpenShop")

    def e_AddItem(self):
        step("e_AddItem")

    def e_ShowCart(self):
        step("e_ShowCart")

    def e_Back(self):
        step("e_Back")

    def v_Home(self):
        page("v_Home", ["v_Thanks"])

    def v_Cart(self):
        page("Shop.v_Cart", ["Checkout.v_Cart"])


class Checkout:
    def e_Checkout(self):
        step("e_Checkout")

    def e_PaymentFails(self):
        step("e_PaymentFails")

    def e_PaymentWorks(self):
        step("e_PaymentWorks")

    def e_Empty(self):
        step("e_Empty")

    def v_Cart(self):
        page("Checkout.v_Cart", ["Shop.v_Cart"])

    def v_Payment(self):
        page("v_Payment")

    def v_Thanks(self):
        page("v_Thanks", ["v_Home"])
