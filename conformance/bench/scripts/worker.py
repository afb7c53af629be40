"""One process of ours that runs one program, over frames: the length in four bytes, then JSON."""

import json
import os
import select
import struct
import subprocess
import time

from tool import programs

LIMITS = {"cpuMs": 500, "memory": 64 << 20, "stack": 768 * 1024, "output": 5_000_000}
STUB = {"namespace": "test", "name": "next", "parameters": ["value"]}


class Worker:
    def __init__(self, command=None, environment=None):
        command = command or [programs() / "dialect", "script-worker"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment or {}, bufsize=0, **pipes)
        self.bytes = b""

    def send(self, frame):
        body = json.dumps(frame).encode()
        try:
            self.process.stdin.write(struct.pack("<I", len(body)) + body)
        except BrokenPipeError:
            pass  # what it sends says that it has ended

    def next(self, seconds=20):
        """The kind of the next frame and its content; no kind when the process has ended or says nothing."""
        until = time.monotonic() + seconds
        while True:
            if len(self.bytes) >= 4:
                end = 4 + struct.unpack("<I", self.bytes[:4])[0]
                if len(self.bytes) >= end:
                    frame, self.bytes = json.loads(self.bytes[4:end]), self.bytes[end:]
                    [(kind, content)] = frame.items()
                    return kind, content
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            if not ready:
                return "hangs", None
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                return "died", None
            self.bytes += chunk

    def start(self, code, **limits):
        self.send({"start": {
            "code": f"(async () => {{{code}\n}})", "name": "program.ts", "functions": [STUB], "arguments": None,
            "now": 0.0, "seed": 1, "limits": {**LIMITS, **limits},
        }})

    def run(self, code, **limits):
        """The last frame; calls get the number after theirs."""
        self.start(code, **limits)
        while True:
            kind, content = self.next()
            if kind == "call":
                [given] = content["target"]["function"]["positional"]
                self.send({"answered": {"call": content["call"], "outcome": {"success": {"value": given + 1}}}})
            elif kind not in ("log", "ready"):
                return kind, content

    def reap(self):
        """Ends the process if it has not ended; the seconds that it computed."""
        self.process.stdin.close()
        self.process.stdout.close()
        until = time.monotonic() + 10
        while True:
            number, _, usage = os.wait4(self.process.pid, os.WNOHANG)
            if number:
                self.process.returncode = 0  # it is reaped already
                return usage.ru_utime + usage.ru_stime
            if time.monotonic() > until:
                self.process.kill()
            time.sleep(0.001)
