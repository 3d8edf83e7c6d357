"""A PostgreSQL of its own for a test, and the wires to it, which can be cut or fall silent."""

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
    """A file system of its own, full at will without taking anybody else's space. Only root can mount one."""

    ROOM = 4 << 30

    def __init__(self, folder):
        self.folder = folder
        self.is_mounted = self._mount("size", self.ROOM)

    def fill(self):
        """Leaves no room for another page."""
        for _ in range(20):
            state = os.statvfs(self.folder)
            # Refused where more has been written meanwhile.
            if self._mount("remount,size", (state.f_blocks - state.f_bfree) * state.f_frsize):
                return True
        return False

    def free(self):
        """Makes room again."""
        return self._mount("remount,size", self.ROOM)

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], capture_output=True)

    def _mount(self, option, size):
        command = ["mount", "-t", "tmpfs", "-o", f"{option}={size}", "tmpfs", self.folder]
        return subprocess.run(command, capture_output=True).returncode == 0


class Cluster:
    """A throw-away cluster from Debian's packages, stopped and started at will."""

    def __init__(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        if not programs:
            raise SystemExit("there is no PostgreSQL here. Install it: Tools/install-packages.sh --with-tests")
        self.programs = programs[-1]
        # PostgreSQL's user may not pass through a TMPDIR of somebody else's.
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
                # On a disk of its own, in memory: a little log.
                "max_wal_size = 64MB\nmin_wal_size = 32MB\n")
        self.start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "serialscan", "serialscan")

    def start(self):
        """Returns when it takes connections."""
        self._run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "postgres.log"), "start")

    def crash(self):
        """Stops it as a power cut would, but for the disk's cache."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")

    def use_up_log(self):
        """Writes until the log needs a new file, for which a full disk has no room; whether the database gave up."""
        try:
            for _ in range(8):
                self.rows("SELECT pg_logical_emit_message(true, '', 'filler')")
                self.rows("SELECT pg_switch_wal()")
            return False
        except subprocess.CalledProcessError:
            return True

    def see_running(self):
        """Starts it where it has given up, as the operator does, and returns when it takes connections."""
        if subprocess.run(self._command("pg_ctl", "-D", self.data, "status"), capture_output=True,
                          cwd=self.folder).returncode != 0:
            self.start()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                return self.number("SELECT 1")
            except subprocess.CalledProcessError:
                time.sleep(0.1)
        raise RuntimeError("PostgreSQL takes no connections")

    def end(self):
        subprocess.run(self._command("pg_ctl", "-D", self.data, "-m", "immediate", "stop"), capture_output=True,
                       cwd=self.folder)
        self.disk.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def rows(self, statement):
        """What a statement answers, as lists of texts."""
        command = ["psql", "-XAtq", "-F", "\t", "-h", "127.0.0.1", "-p", str(self.port), "-U", "serialscan", "-d",
                   "serialscan", "-c", statement]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return [line.split("\t") for line in answer.stdout.splitlines()]

    def seconds(self):
        """What the database has taken of a core so far, by all its processes, those that have ended too."""
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
            # What it took itself, and, for the first, what those took that it has seen end.
            ticks += sum(map(int, fields[11:15] if process == first else fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def number(self, statement):
        return int(self.rows(statement)[0][0])

    def _command(self, program, *arguments):
        return self.user + [os.path.join(self.programs, program), *arguments]

    def _run(self, program, *arguments):
        # A file, since the server that pg_ctl starts would hold a pipe open.
        with tempfile.TemporaryFile("w+") as said:
            status = subprocess.run(self._command(program, *arguments), stdout=said, stderr=said,
                                    cwd=self.folder).returncode
            if status != 0:
                said.seek(0)
                raise RuntimeError(f"{program} ended with {status}: {said.read()[-2000:]}")


class Wire:
    """A way to the cluster over a port of its own: what passes can be stopped, and the connections cut."""

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
        """Breaks every connection, and new ones until `mend`."""
        self.is_cut = True
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            for end in pair:
                try:
                    # A reset, as from a machine that knows nothing of the connection.
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
                # What comes while the wire is silent waits in the sockets.
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
