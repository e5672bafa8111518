# SPDX-License-Identifier: Apache-2.0
"""A rank of protium.run(): calls the function that a folder holds, and leaves there what it gave.

Where it runs this package need not be, so it is also a program of its own, of the standard library
alone, that any Python 3 can read.
"""

import json
import os
import pickle
import platform
import sys
import traceback

CALL, ANSWER = "call", "answer-{}"


def pickler():
    """cloudpickle where it is installed: it takes functions of notebooks, too."""
    try:
        import cloudpickle

        return cloudpickle
    except ImportError:
        return pickle


def version():
    """Of this Python, as far as pickled functions depend on it."""
    return ".".join(platform.python_version_tuple()[:2])


def _read_call(folder):
    """The function and its arguments, or what is wrong and its remedy."""
    with open(os.path.join(folder, CALL), "rb") as file:
        about = json.loads(file.readline().decode())
        if about["python"] != version():
            return None, {"what": "a function of Python {} cannot be read by Python {}".format(
                about["python"], platform.python_version()), "traceback": "", "exception": None,
                "fix": "python=PATH names a Python {} of the ranks' hosts; {} is {}".format(
                    about["python"], os.path.basename(sys.executable), sys.executable)}
        # Where modules are found comes first: reading the call imports the function's.
        sys.path[:] = about["path"] or [os.getcwd()] + sys.path
        try:
            return pickle.load(file), None
        except ImportError as error:
            fix = "install it for the ranks' {}, or give files=FOLDER with it".format(sys.executable)
            return None, _failure(error, fix)
        except Exception as error:
            return None, _failure(error)


def _failure(error, fix=""):
    # Shown with what the rank prints, too.
    traceback.print_exc()
    try:
        exception = pickler().dumps(error)
    except Exception:
        exception = None
    return {"what": "{}: {}".format(type(error).__name__, error), "traceback": traceback.format_exc(),
            "exception": exception, "fix": fix}


def _call(folder):
    call, failure = _read_call(folder)
    if failure is not None:
        return failure
    try:
        function, args = call
        return {"value": pickler().dumps(function(*args))}
    except Exception as error:
        return _failure(error)


def main(folder):
    """Gives the exit code."""
    file = os.path.join(folder, ANSWER.format(os.environ["RANK"]))
    if os.path.exists(file):
        os.remove(file)  # Of an attempt before.
    answer = _call(folder)
    with open(file + ".partial", "wb") as out:
        pickle.dump(answer, out, protocol=4)
    os.rename(file + ".partial", file)
    return 0 if "value" in answer else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
