"""The house rules that no linter knows, on small pieces of code."""

import pytest

from tools.rules import broad_excepts, sql_outside, words

ELSEWHERE = "src/argosy/platform/identity/users.py"

CATCHES_ALL = "try:\n    work()\nexcept Exception:\n    log.exception('x')\n"
RAISES_ON = "try:\n    work()\nexcept BaseException:\n    clean_up()\n    raise\n"
NAMED = "try:\n    work()\nexcept (OSError, ValueError):\n    pass\n"
BARE = "try:\n    work()\nexcept:\n    pass\n"
IN_A_TUPLE = "try:\n    work()\nexcept (OSError, Exception):\n    pass\n"


@pytest.mark.parametrize("source", [CATCHES_ALL, BARE, IN_A_TUPLE])
def test_catching_every_error_is_found(source: str) -> None:
    assert len(list(broad_excepts(ELSEWHERE, source))) == 1


@pytest.mark.parametrize("source", [RAISES_ON, NAMED])
def test_named_errors_and_cleaning_up_before_raising_are_fine(source: str) -> None:
    assert list(broad_excepts(ELSEWHERE, source)) == []


def test_a_finding_names_the_function_it_stands_in() -> None:
    body = "".join(f"        {line}\n" for line in CATCHES_ALL.splitlines())
    source = f"class Loop:\n    async def run(self):\n{body}"

    assert [finding.name for finding in broad_excepts(ELSEWHERE, source)] == ["Loop.run"]


@pytest.mark.parametrize(
    "source",
    [
        "QUERY = 'SELECT id FROM users'",
        'QUERY = """\n    INSERT INTO users (id) VALUES ($1)\n"""',
        "QUERY = f'DELETE FROM {table} WHERE id = $1'",
        "rows = await connection.fetch('select id from users')",
        "connection.execute('with gone as (delete from users returning id) select 1')",
        "connection.execute('CREATE ROLE reader')",
    ],
)
def test_sql_outside_a_store_is_found(source: str) -> None:
    assert len(list(sql_outside(ELSEWHERE, source))) >= 1


@pytest.mark.parametrize(
    "source",
    [
        '"""SELECT is a word that a docstring may use."""',
        "TEXT = 'Select the team from the list'",
        "TEXT = 'Update the profile: set a name'",
        "thing.execute('deploy')",
        "rows = await store.fetch(account)",
    ],
)
def test_prose_and_other_calls_are_not_sql(source: str) -> None:
    assert list(sql_outside(ELSEWHERE, source)) == []


@pytest.mark.parametrize(
    "home",
    [
        "src/argosy/platform/identity/store.py",
        "src/argosy/backends/database/pool.py",
        "src/argosy/host/postgres/cluster.py",
    ],
)
def test_sql_is_at_home_in_stores_and_in_the_machinery(home: str) -> None:
    assert list(sql_outside(home, "QUERY = 'SELECT id FROM users'")) == []


@pytest.mark.parametrize("path", ["src/argosy/kit/utils.py", "src/argosy/common/ids.py"])
def test_a_drawer_is_found_by_its_name(path: str) -> None:
    assert len(list(words(path, ""))) == 1


@pytest.mark.parametrize("comment", ["# ---- credentials", "#######", "# TODO: later", "# see FIXME below"])
def test_banners_and_promises_in_comments_are_found(comment: str) -> None:
    assert len(list(words(ELSEWHERE, f"a = 1  {comment}\n"))) == 1


def test_the_same_words_in_text_are_not_comments() -> None:
    assert list(words(ELSEWHERE, "a = '# TODO'\nb = '# ----'\n# plain words\n")) == []
