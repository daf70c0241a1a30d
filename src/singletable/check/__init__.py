"""The design, judged before it runs: rules that prove faults over templates and traced patterns."""

from .checking import Report, check
from .design import UniqueColumns
from .finding import Finding, Severity

__all__ = ["Finding", "Report", "Severity", "UniqueColumns", "check"]
