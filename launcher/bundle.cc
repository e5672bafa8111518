// SPDX-License-Identifier: Apache-2.0
#include "launcher/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/clock.h"
#include "launcher/lock.h"
#include "launcher/place.h"
#include "launcher/sweep.h"
#include "launcher/unpack.h"

// Every worker of a host may run this at the same time. Use() takes the shared lock without
// waiting; if that fails, or the bundle is incomplete, UnpackAlone() tries the exclusive one; if
// that fails too, another process is unpacking, and both are retried after 10 ms. The exclusive
// lock is never converted to a shared one here: it is released and the bundle looked up again, so
// that a sweep in between is noticed.

namespace protium::launcher {
namespace {

// How long to wait while another process unpacks; LibTorch takes seconds.
constexpr int kWaitSeconds = 120;

enum class State { kWhole, kNot, kOtherCpu };

bool HasAllFiles(int folder, const Manifest& manifest) {
  File file;
  for (int64_t next = manifest.files; NextFile(manifest, &next, &file);) {
    struct stat status;
    if (fstatat(folder, file.name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != file.size) {
      return false;
    }
  }
  return true;
}

bool CanRunHere(const Manifest& manifest, Text* why) {
  Text missing = MissingFeatures(manifest);
  if (missing.empty()) return true;
  *why = Format(
      "protium: this executor's processor lacks%s, which the program was built for; "
      "build it for older processors or run on other machines",
      missing.chars);
  return false;
}

// Checks names and sizes only: contents were checked when they were unpacked, and hashing hundreds
// of megabytes at every start would take longer than starting.
State Inspect(int place, const char* hash, Text* why) {
  int folder = openat(place, hash, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return State::kNot;
  int fd = openat(folder, "manifest", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  Manifest manifest;
  State state = State::kNot;
  if (fd >= 0 && fstat(fd, &status) == 0 && ReadManifest(fd, status.st_size, hash, &manifest)) {
    if (HasAllFiles(folder, manifest)) {
      state = CanRunHere(manifest, why) ? State::kWhole : State::kOtherCpu;
    }
    Free(&manifest);
  }
  if (fd >= 0) close(fd);
  close(folder);
  return state;
}

// Uses the bundle if it is at `place` and nobody is about to remove it.
Taken Use(const Place& place, const char* hash, Text* folder, Text* why) {
  int lock = TryLock(place.fd, hash, Hold::kShared);
  if (lock < 0) return Taken::kAbsent;
  State state = Inspect(place.fd, hash, why);
  if (state != State::kWhole) {
    close(lock);
    return state == State::kNot ? Taken::kAbsent : Taken::kFailed;
  }
  // The lock file's modification time is the bundle's time of last use.
  futimens(lock, nullptr);
  *folder = Join(place.path.chars, hash);
  return Taken::kYes;
}

// Requires the exclusive lock.
Unpacked UnpackAt(const Place& place, const char* hash, const BundleFile& bundle, Text* why) {
  Text half = Format("%s.new", hash);
  Sweep(place.fd, hash, bundle.manifest.total);
  RemoveTree(place.fd, half.chars);
  RemoveTree(place.fd, hash);
  // Checked after the sweep, which may have made room.
  if (!CanHold(place, bundle.manifest.total, why)) return Unpacked::kNotWritten;
  int folder = -1;
  if (mkdirat(place.fd, half.chars, 0700) == 0) {
    folder = openat(place.fd, half.chars, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
  if (folder < 0) {
    *why = Format("%s: %s", place.path.chars, strerror(errno));
    return Unpacked::kNotWritten;
  }
  lseek(bundle.fd, kBundleHeaderBytes + bundle.manifest.size, SEEK_SET);
  Unpacked done = Unpack(bundle, folder, why);
  close(folder);
  if (done == Unpacked::kWhole && renameat(place.fd, half.chars, place.fd, hash) != 0) {
    *why = Format("%s: %s", place.path.chars, strerror(errno));
    done = Unpacked::kNotWritten;
  }
  if (done != Unpacked::kWhole) RemoveTree(place.fd, half.chars);
  return done;
}

// Unpacks, unless another process is doing so. kNotWritten with an empty `why`: try again later.
Unpacked UnpackAlone(const Place& place, const char* hash, const BundleFile& bundle, Text* why) {
  int lock = TryLock(place.fd, hash, Hold::kAlone);
  if (lock < 0) return Unpacked::kNotWritten;
  Text ignored;
  Unpacked done = Inspect(place.fd, hash, &ignored) == State::kNot
                      ? UnpackAt(place, hash, bundle, why)
                      : Unpacked::kWhole;
  close(lock);
  return done;
}

Taken TakeAt(const Place& place, const char* hash, const BundleFile& bundle, Text* folder,
             Text* why, bool* is_damaged) {
  int64_t deadline = Now() + kWaitSeconds * 1000;
  while (Now() < deadline) {
    Taken taken = Use(place, hash, folder, why);
    if (taken != Taken::kAbsent) return taken;
    Unpacked done = UnpackAlone(place, hash, bundle, why);
    *is_damaged = done == Unpacked::kDamaged;
    if (done != Unpacked::kWhole && !why->empty()) return Taken::kAbsent;
    if (done != Unpacked::kWhole) Sleep(10);
  }
  *why = Format("another worker holds %s/%s.lock for %d s", place.path.chars, hash, kWaitSeconds);
  return Taken::kAbsent;
}

Taken Damaged(const char* hash, const Text& what, Text* why) {
  *why = Format(
      "protium: the file %s%s is damaged: %s; remove the driver's "
      "~/.cache/protium/bundles and start again",
      kBundlePrefix, hash, what.chars);
  return Taken::kFailed;
}

// Unpacks into the first local folder that can hold it. A damaged file ends the search: it is
// damaged for every folder.
Taken UnpackSomewhere(const char* hash, const BundleFile& bundle, Text* folder, Text* why) {
  Places places = LocalFolders();
  Text reasons;
  for (int i = 0; i < places.count; ++i) {
    Text reason;
    bool is_damaged = false;
    Place place = OpenPlace(places.local[i], true, &reason);
    Taken taken = Taken::kAbsent;
    if (place.fd >= 0 && CanHold(place, 0, &reason)) {
      taken = TakeAt(place, hash, bundle, folder, &reason, &is_damaged);
    }
    if (place.fd >= 0) close(place.fd);
    if (is_damaged) return Damaged(hash, reason, why);
    if (taken == Taken::kFailed) *why = reason;
    if (taken != Taken::kAbsent) return taken;
    Append(&reasons, "%s%s", i == 0 ? "" : "; ", reason.chars);
  }
  *why = Format(
      "protium: no folder of this executor can hold the program: %.3000s; set "
      "spark.local.dir to a folder that can",
      reasons.chars);
  return Taken::kFailed;
}

// Finds the folder where it was unpacked before; makes no folders.
Taken Find(const char* hash, Text* folder, Text* why) {
  Places places = LocalFolders();
  Taken taken = Taken::kAbsent;
  for (int i = 0; i < places.count && taken == Taken::kAbsent; ++i) {
    Text ignored;
    Place place = OpenPlace(places.local[i], false, &ignored);
    if (place.fd < 0) continue;
    if (faccessat(place.fd, hash, F_OK, 0) == 0) taken = Use(place, hash, folder, why);
    close(place.fd);
  }
  return taken;
}

}  // namespace

Taken TakeBundle(const char* hash, Text* folder, Text* why) {
  Taken found = Find(hash, folder, why);
  if (found != Taken::kAbsent) return found;
  int fd = open(Format("%s%s", kBundlePrefix, hash).chars, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Taken::kAbsent;
  BundleFile bundle;
  Text what;
  if (!OpenBundleFile(fd, hash, &bundle, &what)) {
    close(fd);
    return Damaged(hash, what, why);
  }
  Taken taken = CanRunHere(bundle.manifest, why) ? UnpackSomewhere(hash, bundle, folder, why)
                                                 : Taken::kFailed;
  Free(&bundle.manifest);
  close(fd);
  return taken;
}

}  // namespace protium::launcher
