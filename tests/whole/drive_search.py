# SPDX-License-Identifier: Apache-2.0
"""Tells x * x of each trial of `protium search --ask`, and prints the table at the end.

    drive_search.py TRIALS COMMAND...

After TRIALS of them (0: never) it asks for one more, kills the command and itself.
"""

import json
import os
import signal
import subprocess
import sys

most = int(sys.argv[1])
search = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answer(request):
    search.stdin.write(json.dumps(request) + "\n")
    search.stdin.flush()
    return json.loads(search.stdout.readline())


told = 0
while (trial := answer({"ask": {}}))["trial"] is not None:
    if most and told == most:
        search.kill()
        os.kill(os.getpid(), signal.SIGKILL)
    answer({"tell": {"trial": trial["trial"], "value": trial["values"]["x"] ** 2}})
    told += 1
print(json.dumps(answer({"table": {}})))
