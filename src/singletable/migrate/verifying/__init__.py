"""Verify: every row is in the table as it should be, and nothing else is; both, while writes go on.

The table is scanned first, and of each item its digest is kept in a scratch file. Then every row is
read and transformed, and what should be there is looked up in that file: so no item is read twice,
and memory stays small. What does not match is only a doubt: both sides are read again, after what
had changed until then has been applied, and a difference is what stays.
"""

from .results import Checked, Compared, Difference, Verification
from .verification import verify

__all__ = ["Checked", "Compared", "Difference", "Verification", "verify"]
