"""The budget ledger: what was released from each data set, and what may still be."""

from discreet.ledger.accounting import AccountedTotal, tighter_total
from discreet.ledger.accounts import Account
from discreet.ledger.amounts import Amount
from discreet.ledger.book import Ledger
from discreet.ledger.charging import Quote
from discreet.ledger.entries import Entry, Receipt
from discreet.ledger.verification import Report

__all__ = [
    "Account",
    "AccountedTotal",
    "Amount",
    "Entry",
    "Ledger",
    "Quote",
    "Receipt",
    "Report",
    "tighter_total",
]
