"""A PostgreSQL cluster for a test, and proxied connections to it that can be cut or blocked."""

import glob
import os
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time


class Disk:
    """A separate file system that can be filled without affecting other data. Only root can mount one."""

    ROOM = 4 << 30

    def __init__(self, folder):
        self.folder = folder
        self.is_mounted = self._mount("size", self.ROOM)

    def fill(self):
        """Fills the disk until no further page fits."""
        for _ in range(20):
            state = os.statvfs(self.folder)
            # Fails if more has been written meanwhile.
            if self._mount("remount,size", (state.f_blocks - state.f_bfree) * state.f_frsize):
                return True
        return False

    def free(self):
        """Frees the space again."""
        return self._mount("remount,size", self.ROOM)

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], capture_output=True)

    def _mount(self, option, size):
        command = ["mount", "-t", "tmpfs", "-o", f"{option}={size}", "tmpfs", self.folder]
        return subprocess.run(command, capture_output=True).returncode == 0


class Cluster:
    """A temporary cluster from Debian's packages that can be stopped and started."""

    def __init__(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        if not programs:
            raise SystemExit("there is no PostgreSQL here. Install it: Tools/install-packages.sh --with-tests")
        self.programs = programs[-1]
        # PostgreSQL's user may have no access to another user's TMPDIR.
        self.folder = tempfile.mkdtemp(prefix="serialscan-cluster-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        # PostgreSQL does not run as root.
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres", "postgres")
        self.disk_folder = os.path.join(self.folder, "disk")
        os.mkdir(self.disk_folder)
        self.disk = Disk(self.disk_folder)
        if self.user:
            shutil.chown(self.disk_folder, "postgres", "postgres")
        self.data = os.path.join(self.disk_folder, "data")
        self.port = free_port()
        self._run("initdb", "-D", self.data, "-U", "serialscan", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{self.folder}'\n"
                "max_connections = 300\n"
                # On a separate disk, in memory: a small log.
                "max_wal_size = 64MB\nmin_wal_size = 32MB\n"
            )
        self.start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "serialscan", "serialscan")

    def start(self):
        """Starts the cluster; returns when it accepts connections."""
        self._run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "postgres.log"), "start")

    def crash(self):
        """Stops it as a power failure would, except for the disk's cache."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")

    def use_up_log(self):
        """Writes until the log needs a new file, for which the full disk has no space. Returns whether the database
        shut down."""
        try:
            for _ in range(8):
                self.rows("SELECT pg_logical_emit_message(true, '', 'filler')")
                self.rows("SELECT pg_switch_wal()")
            return False
        except subprocess.CalledProcessError:
            return True

    def see_running(self):
        """Starts it if it has shut down, as an operator would; returns when it accepts connections."""
        if (
            subprocess.run(
                self._command("pg_ctl", "-D", self.data, "status"), capture_output=True, cwd=self.folder
            ).returncode
            != 0
        ):
            self.start()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                return self.number("SELECT 1")
            except subprocess.CalledProcessError:
                time.sleep(0.1)
        raise RuntimeError("PostgreSQL takes no connections")

    def end(self):
        subprocess.run(
            self._command("pg_ctl", "-D", self.data, "-m", "immediate", "stop"), capture_output=True, cwd=self.folder
        )
        self.disk.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def rows(self, statement):
        """Returns a statement's rows, as lists of texts."""
        command = [
            "psql",
            "-XAtq",
            "-F",
            "\t",
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "serialscan",
            "-d",
            "serialscan",
            "-c",
            statement,
        ]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return [line.split("\t") for line in answer.stdout.splitlines()]

    def seconds(self):
        """Returns the CPU time of all processes of the database so far, including ended ones."""
        with open(os.path.join(self.data, "postmaster.pid")) as file:
            first = int(file.readline())
        with open(f"/proc/{first}/task/{first}/children") as file:
            processes = [first, *map(int, file.read().split())]
        ticks = 0
        for process in processes:
            try:
                with open(f"/proc/{process}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            # Its own time, and for the main process that of its ended children.
            ticks += sum(map(int, fields[11:15] if process == first else fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def number(self, statement):
        return int(self.rows(statement)[0][0])

    def _command(self, program, *arguments):
        return self.user + [os.path.join(self.programs, program), *arguments]

    def _run(self, program, *arguments):
        # A file, because the server that pg_ctl starts would keep a pipe open.
        with tempfile.TemporaryFile("w+") as said:
            status = subprocess.run(
                self._command(program, *arguments), stdout=said, stderr=said, cwd=self.folder
            ).returncode
            if status != 0:
                said.seek(0)
                raise RuntimeError(f"{program} ended with {status}: {said.read()[-2000:]}")


class Wire:
    """A proxy for connections to the cluster on a separate port. Traffic can be blocked, and connections cut."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.listener.getsockname()[1]
        self.is_silent = False
        self.is_cut = False
        self.pairs = set()
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self):
        return f"postgresql://serialscan@127.0.0.1:{self.port}/serialscan"

    def cut(self):
        """Breaks all connections, and rejects new ones until `mend`."""
        self.is_cut = True
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            for end in pair:
                try:
                    # A reset, as from a machine that does not know the connection.
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def mend(self):
        self.is_cut = self.is_silent = False

    def _accept(self):
        while True:
            near, _ = self.listener.accept()
            if self.is_cut:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.pairs.add((near, far))
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near, far):
        try:
            while True:
                ready, _, _ = select.select([near, far], [], [], 1)
                # Data that arrives while the proxy is blocked waits in the sockets.
                while self.is_silent:
                    time.sleep(0.02)
                for end in ready:
                    content = end.recv(65536)
                    if not content:
                        return
                    (far if end is near else near).sendall(content)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.pairs.discard((near, far))
            near.close()
            far.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
