#!/usr/bin/env python3
"""A shop behind the adapter protocol of hyperkill: a line of inputs in, a line of outputs out.

It is the shop of tests/models/graphwalker/shop, written by hand: a cart of at most three items, and a checkout where a payment may fail
twice. An input names an edge, or a vertex where the walk goes on in the other model; the answer says whether that was done, and which
page is there now.

With --two-items the cart takes two, with --four-items four. With --stays-paid a cart that is emptied after a payment cannot be paid
again. With --counts-on failed payments are counted on after one that works.
"""

import json
import sys


class Shop:
    def __init__(self, faults):
        self.page = None
        self.items, self.tries, self.paid = 0, 0, False
        self.most = 2 if "--two-items" in faults else 4 if "--four-items" in faults else 3
        self.stays_paid = "--stays-paid" in faults
        self.counts_on = "--counts-on" in faults

    def do(self, event):
        """Does a step if it can, and says whether it has."""
        step = getattr(self, event.replace(".", "_"))
        page = step()
        if page is not None:
            self.page = page
        return page is not None

    def e_OpenShop(self):
        if self.page is None:
            return "v_Home"

    def e_AddItem(self):
        if self.page == "v_Home" and self.items < self.most:
            self.items += 1
            return "v_Home"

    def e_ShowCart(self):
        if self.page == "v_Home":
            return "Shop.v_Cart"

    def e_Back(self):
        if self.page == "Shop.v_Cart":
            return "v_Home"

    def e_Checkout(self):
        if self.page == "Checkout.v_Cart" and self.items > 0 and not self.paid:
            self.paid = True
            self.tries += 1
            return "v_Payment"

    def e_PaymentFails(self):
        if self.page == "v_Payment" and self.tries < 3:
            self.tries += 1
            return "v_Payment"

    def e_PaymentWorks(self):
        if self.page == "v_Payment":
            self.tries = self.tries if self.counts_on else 0
            return "v_Thanks"

    def e_Empty(self):
        if self.page == "Checkout.v_Cart" and self.items > 0:
            self.items = 0
            self.paid = self.paid and self.stays_paid
            return "Checkout.v_Cart"

    def Shop_v_Cart(self):
        if self.page == "Checkout.v_Cart":
            return "Shop.v_Cart"

    def Checkout_v_Cart(self):
        if self.page == "Shop.v_Cart":
            return "Checkout.v_Cart"

    def Shop_v_Home(self):
        if self.page == "v_Thanks":
            return "v_Home"

    def Checkout_v_Thanks(self):
        if self.page == "v_Home":
            return "v_Thanks"


def main():
    shop = Shop(sys.argv[1:])
    for line in sys.stdin:
        inputs = json.loads(line)
        if inputs == "reset":
            shop = Shop(sys.argv[1:])
            print('"reset"', flush=True)
            continue
        done = shop.do(inputs["event"])
        # Where nothing is reached the vertex is the first one.
        page = shop.page if done else "v_Home"
        print(json.dumps({"done": done, "reached": done, "reached.vertex": page}), flush=True)


main()
