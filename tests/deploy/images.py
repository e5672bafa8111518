# SPDX-License-Identifier: Apache-2.0
"""images.py REPOSITORY SPARK: the stages `driver` and `executor` of deploy/Containerfile as folders that
programs take for their root, and a job of the one on executors of the other. It needs root, the archive
of `./dev package` in dist/, debootstrap and Debian's packages, but no program that builds images.

The recipe is carried out as it stands. In the place of Spark's image, which is not fetched, is Debian
with Java and the release in the folder SPARK, at the same path and with the same user.
"""

import contextlib
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 300
USER = "185"
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
# The devices that programs expect, made anew: those of this machine are nobody's business there.
ENTER = """
mount --make-rprivate /
mount -t proc proc "$0/proc"
mount -t tmpfs -o mode=755 none "$0/dev"
mkdir -m 1777 "$0/dev/shm"
mount -t tmpfs -o mode=1777 none "$0/dev/shm"
for each in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "$0/dev/${each%:*}" c 1 "${each#*:}"
done
ln -s /proc/self/fd "$0/dev/fd"
mkdir -p "$0/runs"
mount --bind "$1" "$0/runs"
root=$0 user=$2
shift 2
exec chroot "--userspec=$user:0" "$root" "$@"
"""
# What lets the host's package client find its sources and trust them.
CLIENT = ("/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d", "/etc/apt/trusted.gpg.d",
          "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt")


def inside(root, volume, command, user="0", environment=None):
    """The command of a process whose root is the folder `root` and which sees `volume` as /runs."""
    plain = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
    settings = [f"{name}={value}" for name, value in {**plain, **(environment or {})}.items()]
    return ["unshare", "--mount", "sh", "-ec", ENTER, str(root), str(volume), user, "env", "-i", *settings, *command]


def finish(command):
    """Runs a command that has nothing to say unless it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-aL" if source.is_file() else "-a", "--reflink=auto", source, target], check=True)


class Recipe:
    """The stages of a Containerfile, each built when something asks for it."""

    def __init__(self, path, context, folder, bases):
        self.folder, self.context, self.bases, self.built = folder, context, bases, {}
        self.volume = folder / "no-volume"
        self.volume.mkdir()
        text = re.sub(r"\\\n", " ", path.read_text(encoding="utf-8"))
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.stages, steps = {}, None
        for line in lines:
            word, rest = line.split(maxsplit=1)
            if word == "FROM":
                base, name = rest.split(" AS ")
                steps = []
                self.stages[name] = (base, steps)
            elif steps is not None:
                steps.append((word, rest))

    def build(self, name):
        """The root folder of a stage, with its environment, user and working directory."""
        if name in self.built:
            return self.built[name]
        base, steps = self.stages[name]
        root = self.folder / name
        copy(self.bases[base], root)
        made = {"root": root, "environment": {}, "user": "0", "workdir": "/"}
        for word, rest in steps:
            getattr(self, word.lower())(made, rest)
        self.built[name] = made
        return made

    def run(self, made, rest):
        finish(inside(made["root"], self.volume, ["sh", "-ec", rest], environment=made["environment"]))

    def copy(self, made, rest):
        words = rest.split()
        source = self.context
        if words[0].startswith("--from="):
            source = self.build(words.pop(0).removeprefix("--from="))["root"]
        *wanted, into = words
        target = made["root"] / into.lstrip("/")
        for pattern in wanted:
            found = glob.glob(str(source / pattern.lstrip("/")))
            assert found, f"nothing is {pattern}"
            for each in map(pathlib.Path, found):
                copy(each, target / each.name if into.endswith("/") else target)

    def env(self, made, rest):
        for name, value in (pair.split("=", 1) for pair in rest.split()):
            path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            made["environment"][name] = value.replace("$PATH", path)

    def user(self, made, rest):
        made["user"] = rest

    def workdir(self, made, rest):
        made["workdir"] = rest

    def entrypoint(self, made, rest):
        made["entrypoint"] = json.loads(rest)


def debian(folder):
    mirror = subprocess.run(["sh", "-c", "apt-get indextargets --format '$(SITE)' | head -n 1"], check=True,
                            capture_output=True, text=True).stdout.strip()
    finish(["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", folder, mirror])
    for each in filter(os.path.exists, CLIENT):
        target = folder / each.lstrip("/")
        if target.is_dir():
            shutil.rmtree(target)
        copy(pathlib.Path(each).resolve(), target)
    return folder


def spark(folder, plain, release, volume):
    """What Spark's image holds, as far as executors and a server need it."""
    copy(plain, folder)
    account = "groupadd --system --gid=185 spark && useradd --system --uid=185 --gid=spark spark"
    install = "apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps"
    finish(inside(folder, volume, ["sh", "-ec", f"{account}; mkdir -p /usr/share/man/man1; {install}"],
                  environment={"DEBIAN_FRONTEND": "noninteractive"}))
    for part in ("jars", "bin"):
        copy(release.resolve() / part, folder / "opt/spark" / part)
    # Executors work below it.
    (folder / "opt/spark/work").mkdir(mode=0o777)
    (folder / "opt/spark/work").chmod(0o777)
    return folder


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(executor, volume, log):
    """A Spark Connect server in the executor's root, whose two executors are processes beside it."""
    port = free_port()
    command = ["/opt/spark/bin/spark-submit", f"--class={SERVER}", "--master=local-cluster[2,1,1024]",
               "--conf=spark.connect.grpc.binding.address=127.0.0.1",
               f"--conf=spark.connect.grpc.binding.port={port}", "--conf=spark.ui.enabled=false",
               "--conf=spark.sql.warehouse.dir=/tmp/warehouse", "spark-internal"]
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "127.0.0.1", "SPARK_HOME": "/opt/spark"}
    with open(log, "wb") as output:
        process = subprocess.Popen(inside(executor["root"], volume, command, USER,
                                          {**executor["environment"], **local}),
                                   stdout=output, stderr=output, start_new_session=True)
    try:
        until = time.monotonic() + PATIENCE_S
        while b"Spark Connect server started" not in log.read_bytes():
            assert process.poll() is None and time.monotonic() < until, log.read_text(errors="replace")[-2000:]
            time.sleep(0.1)
        yield f"sc://127.0.0.1:{port}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=PATIENCE_S)


def run(driver, volume, arguments):
    done = subprocess.run(inside(driver["root"], volume, [*driver["entrypoint"], *arguments], driver["user"],
                                 driver["environment"]),
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def weights(volume, name):
    [result] = glob.glob(f"{volume}/{name}/*/result.json")
    return json.loads(pathlib.Path(result).read_text(encoding="utf-8"))["weights_sha256"]


def try_images(repository, release, folder):
    volume = folder / "volume"
    volume.mkdir(mode=0o777)
    volume.chmod(0o777)
    plain = debian(folder / "debian")
    bases = {"debian:12-slim": plain, "${SPARK}": spark(folder / "spark", plain, release, volume)}
    recipe = Recipe(repository / "deploy/Containerfile", repository / "dist", folder / "stages", bases)
    driver, executor = recipe.build("driver"), recipe.build("executor")
    copy(repository / "examples/flights/flights.toml", volume / "flights.toml")
    run(driver, volume, ["example", "flights", "/runs/data"])
    job = ["run", "/runs/flights.toml", "--set", "gang.workers=2"]
    run(driver, volume, [*job, "--runs-dir", "/runs/here"])
    with server(executor, volume, folder / "server.log") as address:
        run(driver, volume, [*job, "--runs-dir", "/runs/there", "--engine", address,
                             "--set", "engine.spark.program=/opt/protium/bin/protium-launcher"])
    here, there = weights(volume, "here"), weights(volume, "there")
    assert here == there, f"{here} embedded, {there} on executors"
    print(f"both images work: weights {here[:12]} embedded and on executors")


def main():
    repository, release = map(pathlib.Path, sys.argv[1:])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="protium-images-", dir="/var/tmp"))
    # User 185 looks below it.
    folder.chmod(0o755)
    (folder / "stages").mkdir()
    try:
        try_images(repository, release, folder)
    finally:
        # Nothing that is mounted is entered, whatever was left.
        subprocess.run(["rm", "-rf", "--one-file-system", folder], check=False)


main()
