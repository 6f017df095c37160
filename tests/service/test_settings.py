"""Settings: every variable checked, every problem listed at once, nothing secret in a message."""

from pathlib import Path

import pytest

from service.settings import VARIABLES, Settings, SettingsError, read_settings

DOCS = Path(__file__).parents[2] / "docs" / "configuration.md"
SECRET = "0123456789" * 4


def problems(**environ: str) -> tuple[str, ...]:
    """What is wrong with an environment."""
    with pytest.raises(SettingsError) as caught:
        read_settings(environ)
    return caught.value.problems


def test_empty_environment_gives_the_defaults() -> None:
    """Loopback, no authentication, embedded engine in the user's own directory."""
    settings = read_settings({"XDG_DATA_HOME": "/data"})
    assert settings == Settings(data_dir=Path("/data/turnfold"))
    assert settings.is_loopback


def test_every_problem_is_listed_at_once() -> None:
    """A wrong number, a wrong word and an unknown name: three sentences."""
    found = problems(TURNFOLD_PORT="many", TURNFOLD_ACK="maybe", TURNFOLD_PROT="1")
    assert len(found) == 3
    assert "TURNFOLD_PROT is not known; TURNFOLD_PORT is." in found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TURNFOLD_PORT", "65536"),
        ("TURNFOLD_PORT", "-1"),
        ("TURNFOLD_PORT", "٣"),
        ("TURNFOLD_PARTITIONS", "0"),
        ("TURNFOLD_BASE_PATH", "turnfold"),
        ("TURNFOLD_BASE_PATH", "/turnfold/"),
        ("TURNFOLD_ALLOWED_ORIGINS", "*"),
        ("TURNFOLD_ALLOWED_ORIGINS", "https://a.example/path"),
        ("TURNFOLD_TRUSTED_PROXIES", "proxy.example"),
        ("TURNFOLD_REDIS_URL", "http://x"),
        ("TURNFOLD_LOG_LEVEL", "loud"),
        ("TURNFOLD_ANSWERS_URL", "ftp://receiver.example"),
        ("TURNFOLD_ANSWERS_URL", "https://user:hunter2@receiver.example"),
        ("TURNFOLD_ANSWERS_SECRET", "c2hvcnQ="),
        ("TURNFOLD_ANSWERS_SECRET", "whsec_c2hvcnQ="),
        ("TURNFOLD_ANSWERS_SECRET", "whsec_" + "*" * 40),
    ],
)
def test_bad_value_is_refused_with_what_is_expected(name: str, value: str) -> None:
    """The sentence begins with the variable."""
    (found,) = problems(**{name: value})
    assert found.startswith(name)
    assert "expected" in found


def test_lists_are_separated_by_commas() -> None:
    """Blanks around are ignored; networks are normalised."""
    settings = read_settings(
        {
            "TURNFOLD_ALLOWED_ORIGINS": "https://a.example, http://localhost:3000",
            "TURNFOLD_TRUSTED_PROXIES": "10.0.0.1/8,::1",
        }
    )
    assert settings.allowed_origins == ("https://a.example", "http://localhost:3000")
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1/128")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "chat.example"])
def test_other_binding_than_loopback_needs_authentication(host: str) -> None:
    """R-16: refused without a secret, taken with one; the message names both ways out."""
    (found,) = problems(TURNFOLD_HOST=host)
    assert "TURNFOLD_JWT_SECRET" in found
    assert not read_settings({"TURNFOLD_HOST": host, "TURNFOLD_JWT_SECRET": SECRET}).is_loopback


def test_answers_need_an_address_and_a_secret() -> None:
    """E-16: one without the other would forward nothing, or forward it unsigned."""
    url, secret = "https://receiver.example/answers", "whsec_" + "QUJD" * 8
    for name, value in (("TURNFOLD_ANSWERS_URL", url), ("TURNFOLD_ANSWERS_SECRET", secret)):
        (found,) = problems(**{name: value})
        assert "TURNFOLD_ANSWERS_SECRET" in found
    settings = read_settings({"TURNFOLD_ANSWERS_URL": url, "TURNFOLD_ANSWERS_SECRET": secret})
    assert (settings.answers_url, settings.answers_secret) == (url, secret)


def test_secret_never_stands_in_a_message() -> None:
    """Not even a bad one, nor the password of an address."""
    assert "hunter2" not in "".join(
        problems(TURNFOLD_JWT_SECRET="hunter2", TURNFOLD_REDIS_URL="x://u:hunter2@h")
    )


def test_command_line_wins_over_the_environment() -> None:
    """What is not given there stays."""
    settings = read_settings({"TURNFOLD_PORT": "1", "TURNFOLD_FLUSH_MS": "50"}, port=2, host=None)
    assert (settings.port, settings.flush_ms, settings.host) == (2, 50, "127.0.0.1")


def test_variables_of_the_test_suite_are_left_alone() -> None:
    """A service that a test starts inherits them."""
    read_settings({"TURNFOLD_TEST_REDIS_URL": "redis://x", "TURNFOLD_REQUIRE_ALL": "1"})


def test_documentation_holds_the_same_table() -> None:
    """docs/configuration.md and the code agree, row by row."""
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    assert rows == [f"| `{one.name}` | {one.default} | {one.meaning} |" for one in VARIABLES]


def test_documented_defaults_are_the_defaults() -> None:
    """Each default in the table, read as a value, is the field's."""
    for variable in VARIABLES:
        if variable.default != "none" and variable.field != "data_dir":
            value = variable.parse(variable.default.strip("`"))
            assert value == getattr(Settings(), variable.field), variable.name


def test_a_user_without_a_home_says_where_the_data_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Container platforms make such users; one with a Redis of its own needs no place."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)
    with pytest.raises(SettingsError, match=r"No home directory is known .* set TURNFOLD_DATA_DIR"):
        read_settings({})
    assert read_settings({"TURNFOLD_DATA_DIR": "/data"}).data_dir == Path("/data")
    assert read_settings({}, data_dir=Path("/given")).data_dir == Path("/given")
    assert read_settings({"TURNFOLD_REDIS_URL": "redis://127.0.0.1/0"}).redis_url == "redis://127.0.0.1/0"


def test_a_home_that_is_not_there_is_no_folder_of_that_name() -> None:
    """A mistyped user would get a directory called `~nobody-here` where the service was started."""
    with pytest.raises(SettingsError, match=r"TURNFOLD_DATA_DIR='~nobody-here/x': a directory is expected"):
        read_settings({"TURNFOLD_DATA_DIR": "~nobody-here/x"})
