// SPDX-License-Identifier: Apache-2.0
// For the first lines of main(), in programs with and without our rooms.
#pragma once

#include <fcntl.h>

namespace protium {

// Occupies the numbers of stdin, stdout and stderr if whoever started the process has closed them:
// otherwise the next file to be opened would get them, and with them what is printed. They are
// opened on /dev/null in the unused direction, so that reading stdin or printing a result fails as
// on a closed descriptor.
inline void TakeStandardDescriptors() {
  for (int fd = 0; fd < 3; ++fd) {
    // open() returns the lowest free number, which is this one.
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace protium
