// SPDX-License-Identifier: Apache-2.0
// For the first lines of main(), of programs with and without the rooms of this house.
#pragma once

#include <fcntl.h>

namespace protium {

// Takes the numbers of stdin, stdout and stderr where whoever started the process has closed them:
// the next file to be opened would get them, and with them what is printed. They lead to /dev/null
// in the direction that nobody uses, so that reading stdin, or printing a result, fails as on a
// closed one.
inline void TakeStandardDescriptors() {
  for (int fd = 0; fd < 3; ++fd) {
    // The lowest number that is free is given out, which is this one.
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace protium
