"""Revisions of the repository in folders of their own: commits, and the working tree with all that is new in it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Revision:
    """A commit, which the working tree becomes without a branch of its own."""

    name: str
    commit: str
    tree: str
    """What git calls the content of all files: equal for equal content."""


def git(*arguments: str, **variables: str) -> str:
    """What a git command prints; ends with git's own message where it fails."""
    command = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables}, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout.strip()


def revision(name: str) -> Revision:
    """The commit that git finds under a name."""
    commit = git("rev-parse", "--verify", f"{name}^{{commit}}")
    return Revision(
        f"{name} ({git('log', '-1', '--format=%h %s', commit)})", commit, git("rev-parse", f"{commit}^{{tree}}")
    )


def working_tree() -> Revision:
    """All files of now that git does not ignore; index and branch stay as they are."""
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "index")
        git("read-tree", "HEAD", GIT_INDEX_FILE=index)
        git("add", "--all", GIT_INDEX_FILE=index)
        tree = git("write-tree", GIT_INDEX_FILE=index)
    commit = git("commit-tree", tree, "-p", "HEAD", "-m", "the working tree")
    return Revision("the working tree", commit, tree)


@contextmanager
def checked_out(of: Revision) -> Iterator[Path]:
    """A git worktree that is gone afterwards, whatever ends this."""
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        path = Path(folder) / "worktree"
        try:
            git("worktree", "add", "--quiet", "--detach", str(path), of.commit)
            yield path
        finally:
            git("worktree", "remove", "--force", str(path))
