"""terminal: a program on a terminal of its own, for live tests."""

import fcntl
import os
import pty
import select
import struct
import termios
import time


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, columns, argv, env=None):
        self.begun = time.time()
        self.said = b""
        self.seen = 0
        go_read, go_write = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.read(go_read, 1)
            os.execvpe(argv[0], argv, env or os.environ)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.write(go_write, b"x")
        os.close(go_read)
        os.close(go_write)

    def listen(self, seconds):
        """Returns False at the end."""
        until = time.time() + seconds
        while time.time() < until:
            if not select.select([self.fd], [], [], 0.01)[0]:
                continue
            try:
                got = os.read(self.fd, 65536)
            except OSError:
                return False
            if not got:
                return False
            self.said += got
        return True

    def ends(self, seconds=100):
        self.listen(seconds)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def lines(self):
        return self.said.decode(errors="replace").replace("\r\n", "\n")

    def types(self, text):
        os.write(self.fd, text)

    def shows(self, text, seconds=30):
        """Returns whether the program says these bytes from now on, or has said them since the last call of this."""
        until = time.time() + seconds
        while text not in self.said[self.seen:]:
            if time.time() > until or not self.listen(0.05):
                break
        at = self.said.find(text, self.seen)
        if at >= 0:
            self.seen = at + len(text)
        return at >= 0
