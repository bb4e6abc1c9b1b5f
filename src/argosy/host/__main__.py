"""The verbs that start, watch and end an installation: `python -m argosy.host VERB`, which is `argosy VERB`.

The `argosy` command executes this module for them. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not running,
4 already running, 5 refused for safety, 130 interrupted. Each verb is one function of `argosy.host.lifecycle`, imported when used.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from argosy.host.lifecycle.failures import FAILED, INTERRUPTED, OK, exit_code
from argosy.host.options import Plan, load_plan
from argosy.host.paths import DataDir
from argosy.host.supervisor.failure import three_lines
from argosy.kit.arguments import Parser
from argosy.kit.errors import ArgosyError, Unavailable

Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001
EXIT_CODES = """\
exit codes:
  0  done
  1  failed; the message on stderr says what, where, and what to do
  2  wrong usage
  3  Argosy is not running
  4  Argosy is already running
  5  refused for safety
  130  interrupted
"""


def main(arguments: Sequence[str] | None = None, *, load: Callable[[], Plan] = load_plan) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _answer(words, load)
    except ArgosyError as error:
        sys.stderr.write(three_lines(error) + "\n")
        return exit_code(error)
    except BrokenPipeError:
        _reader_has_enough()
        return OK
    except OSError as error:  # a file of the installation that cannot be read or written
        return _system_refused(error)
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        return INTERRUPTED


def _answer(words: list[str], load: Callable[[], Plan]) -> int:
    if words[:1] == ["__complete"]:  # `argosy.cli.complete` leaves these verbs to the parser that knows them
        sys.stdout.write("".join(f"{word}\n" for word in parser().following(words[1:])))
        code = OK
    else:
        code = _run(parser().parse_args(words), load)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _reader_has_enough()  # the verb is done: how it ended stays the answer
    return code


def _reader_has_enough() -> None:
    """`argosy status | head -1`: the rest goes nowhere, and the interpreter has nothing to complain about at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_refused(error: OSError) -> int:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    told = Unavailable(
        f"the system refused: {error.strerror or error}",
        cure="make room on that disk, then do it again"
        if full
        else "run as the user who owns the installation; 'argosy doctor' checks the machine",
        context={"where": str(error.filename)} if error.filename else {},
    )
    sys.stderr.write(three_lines(told) + "\n")
    return FAILED


def parser() -> Parser:
    top = Parser(prog="argosy", epilog=EXIT_CODES, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    _up_options(_verb(verbs, "up", "start the platform, and stay until Ctrl-C"))
    _verb(verbs, "down", "stop the platform")
    _output(_verb(verbs, "status", "show what runs, since when, with how much memory"))
    _output(_verb(verbs, "doctor", "show what this machine has, and what stands in for what it lacks"))
    reset = _verb(verbs, "reset", "delete all data of this installation (without --yes: show what that is)")
    reset.add_argument("--yes", action="store_true", help="really delete")
    reset.add_argument("--stop", action="store_true", help="stop a running platform first")
    admin = _group(verbs, "admin", "help for locked-out people")
    password = _verb(admin, "reset-password", "give a user a new one-time password")
    password.add_argument("email", metavar="EMAIL")
    _output(password)
    _output(_verb(admin, "sign-in-link", "a fresh single-use link, as `up` prints it"))
    service = _group(verbs, "service", "run under systemd")
    for action, words in (("install", "install and start the service"), ("uninstall", "stop and remove it")):
        scope = _verb(service, action, words).add_mutually_exclusive_group()
        scope.add_argument(
            "--user",
            dest="scope",
            action="store_const",
            const="user",
            help="for yourself (the default, but for root)",
        )
        scope.add_argument(
            "--system", dest="scope", action="store_const", const="system", help="for the machine"
        )
    _verb(verbs, "backup", "write all data to one file").add_argument("file", metavar="FILE", type=_path)
    restore = _verb(verbs, "restore", "bring back what a backup holds")
    restore.add_argument("file", metavar="FILE", type=_path)
    restore.add_argument("--force", action="store_true", help="replace data that is there")
    upgrade = _verb(verbs, "upgrade", "try an upgrade on a copy of the database, with a report")
    upgrade.add_argument("--rehearse", action="store_true", required=True, help="on a copy; changes nothing")
    _kube_verbs(_group(verbs, "kube", "embedded Kubernetes clusters"))
    serve = _verb(verbs, "serve", "run some services, or all, for a deployment of your own")
    serve.add_argument("names", metavar="NAME", nargs="*")
    serve.add_argument("--list", action="store_true", help="show the services and what they depend on")
    serve.add_argument("--output", choices=("text", "mermaid", "json"), default="text", help="form of --list")
    return top


def _kube_verbs(kube: Verbs) -> None:
    create = _verb(kube, "create", "make a cluster and start it")
    kubeconfig = _verb(kube, "kubeconfig", "print a cluster's kubeconfig")
    delete = _verb(kube, "delete", "stop a cluster and delete all that is in it")
    hosts = _verb(kube, "hosts", "show or choose the host names that a cluster's Ingresses may take")
    for verb in (create, kubeconfig, delete, hosts):
        verb.add_argument("name", metavar="NAME")
    kubeconfig.add_argument("--path", action="store_true", help="only say where it lies")
    _output(create)
    _output(_verb(kube, "list", "show the clusters of this machine"))
    _output(_verb(kube, "ingresses", "show what Ingresses serve, and under which URLs"))
    hosts.add_argument("patterns", metavar="HOST", nargs="*", help="a name, or *.NAME for all names under it")
    hosts.add_argument("--default", action="store_true", help="*.localhost where the platform is on loopback")
    hosts.add_argument(
        "--own-paths",
        choices=("on", "off"),
        help="serve Ingresses without a host under the platform's own name",
    )


def _up_options(up: Parser) -> None:
    up.add_argument("--host", help="address to listen on (127.0.0.1)")
    up.add_argument("--port", type=int, help="port to listen on (8080); 0 picks a free one")
    up.add_argument("--public-url", metavar="URL", help="what people open, when a proxy stands before it")
    up.add_argument("--tls-cert", metavar="FILE", type=_path, help="PEM certificate chain")
    up.add_argument("--tls-key", metavar="FILE", type=_path, help="its PEM key")
    own = up.add_mutually_exclusive_group()
    own.add_argument(
        "--tls-self-signed", action="store_true", default=None, help="make and use a certificate of our own"
    )
    own.add_argument("--no-tls", action="store_true", help="forget the certificate chosen earlier")
    up.add_argument("--detach", action="store_true", help="return when everything is ready")
    _output(up)


def _run(asked: argparse.Namespace, load: Callable[[], Plan]) -> int:
    data = DataDir(asked.data_dir) if asked.data_dir else DataDir(DataDir.default().root.absolute())
    as_json = getattr(asked, "output", "") == "json"
    match asked.verb, getattr(asked, "noun", ""):
        case "up", _:
            return _up(asked, data, load, as_json=as_json)
        case "down", _:
            from argosy.host.lifecycle import down

            return down.run(data)
        case "status", _:
            from argosy.host.lifecycle import status

            return status.run(data, as_json=as_json)
        case "doctor", _:
            from argosy.host.lifecycle import doctor

            return doctor.run(data, as_json=as_json)
        case "reset", _:
            from argosy.host.lifecycle import reset

            return reset.run(data, yes=asked.yes, stop=asked.stop)
        case "service", noun:
            from argosy.host.lifecycle import service

            scope: service.Scope = asked.scope or ("user" if os.geteuid() else "system")
            return service.install(data, scope) if noun == "install" else service.uninstall(scope)
        case _:
            return _hand_over(asked, data, load, as_json=as_json)


def _hand_over(asked: argparse.Namespace, data: DataDir, load: Callable[[], Plan], *, as_json: bool) -> int:
    from argosy.host.lifecycle import hand_over

    match asked.verb:
        case "admin" if asked.noun == "sign-in-link":
            return hand_over.sign_in_link(data, as_json=as_json)
        case "admin":
            return hand_over.reset_password(data, asked.email, as_json=as_json)
        case "backup":
            return hand_over.backup(data, asked.file)
        case "restore":
            return hand_over.restore(data, asked.file, force=asked.force)
        case "upgrade":
            return hand_over.rehearse_upgrade(data, load)
        case "kube":
            return _kube(asked, data, as_json=as_json)
        case _:
            return hand_over.serve(data, asked.names, listing=asked.output if asked.list else "")


def _kube(asked: argparse.Namespace, data: DataDir, *, as_json: bool) -> int:
    from argosy.host.clusters import asking

    match asked.noun:
        case "create":
            return asking.create(data, asked.name, as_json=as_json)
        case "kubeconfig":
            return asking.kubeconfig(data, asked.name, path=asked.path)
        case "delete":
            return asking.delete(data, asked.name)
        case "ingresses":
            return asking.ingresses(data, as_json=as_json)
        case "hosts":
            own_paths = None if asked.own_paths is None else asked.own_paths == "on"
            return asking.hosts(data, asked.name, asked.patterns, default=asked.default, own_paths=own_paths)
        case _:
            return asking.list_(data, as_json=as_json)


def _up(asked: argparse.Namespace, data: DataDir, load: Callable[[], Plan], *, as_json: bool) -> int:
    from argosy.host.lifecycle import chosen, up

    flags = chosen.Flags(
        host=asked.host,
        port=asked.port,
        public_url=asked.public_url if asked.public_url is None else asked.public_url.rstrip("/"),
        tls_cert="" if asked.no_tls or asked.tls_self_signed else _text(asked.tls_cert),
        tls_key="" if asked.no_tls or asked.tls_self_signed else _text(asked.tls_key),
        tls_self_signed=False if asked.no_tls or asked.tls_cert else asked.tls_self_signed,
    )
    return up.run(data, flags, detached=asked.detach, as_json=as_json, load_plan=load)


def _group(verbs: Verbs, name: str, words: str) -> Verbs:
    return _add(verbs, name, words).add_subparsers(dest="noun", required=True, metavar="ACTION")


def _add(verbs: Verbs, name: str, words: str) -> Parser:
    return verbs.add_parser(
        name,
        help=words,
        description=words[0].upper() + words[1:] + ".",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _verb(verbs: Verbs, name: str, words: str) -> Parser:
    made = _add(verbs, name, words)
    made.add_argument(
        "--data-dir", metavar="DIR", type=_path, help="where everything lies ($ARGOSY_DATA_DIR, or ~/.argosy)"
    )
    return made


def _output(verb: Parser) -> None:
    verb.add_argument("--output", "-o", choices=("text", "json"), default="text", help="form of the answer")


def _path(text: str) -> Path:
    """Absolute, because the daemon works in another folder."""
    return Path(text).expanduser().absolute()


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


if __name__ == "__main__":
    sys.exit(main())
