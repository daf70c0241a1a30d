"""Exports to S3 and imports from it: there is no S3 here, and so none of them."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import ExportNotFoundException, ImportNotFoundException

from .registry import Answer, Request, operation


@operation("DescribeExport", ExportArn=t.EXPORT_ARN.required)
def describe_export(_db: Database, request: Request) -> Answer:
    """Find no export."""
    raise ExportNotFoundException(f"Export not found: {request['ExportArn']}")


@operation("DescribeImport", ImportArn=t.IMPORT_ARN.required)
def describe_import(_db: Database, request: Request) -> Answer:
    """Find no import."""
    raise ImportNotFoundException(f"Import not found: {request['ImportArn']}")


@operation("ListExports", TableArn=m.TABLE_NAME, MaxResults=t.COUNT_TO_25, NextToken=m.STRING)
def list_exports(_db: Database, _request: Request) -> Answer:
    """List no exports."""
    return {"ExportSummaries": []}


@operation("ListImports", TableArn=m.TABLE_NAME, PageSize=t.COUNT_TO_25, NextToken=m.STRING)
def list_imports(_db: Database, _request: Request) -> Answer:
    """List no imports."""
    return {"ImportSummaryList": []}
