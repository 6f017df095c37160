"""Edge stage: which version of the service this is."""

from importlib.metadata import PackageNotFoundError, version


def service_version() -> str:
    """The version of the installed distribution; `0` in a checkout that was never installed."""
    try:
        return version("turnfold")
    except PackageNotFoundError:
        return "0"
