// SPDX-License-Identifier: Apache-2.0
// What Spark's JVM and its workers exchange: big-endian 32-bit integers, and texts preceded by
// their length. All functions fail (false) if the other side is gone or the deadline has passed.
#pragma once

#include <stdint.h>

namespace protium::launcher {

bool SendInt(int socket, int32_t value, int64_t deadline);
bool SendText(int socket, const char* text, int64_t deadline);
bool ReceiveInt(int socket, int32_t* value, int64_t deadline);
// Receives a text of fewer than `room` bytes, ended with a zero; a longer one fails.
bool ReceiveText(int socket, char* into, int32_t room, int32_t* length, int64_t deadline);
// Reads and drops everything until the other side closes or the deadline passes.
void Drain(int socket, int64_t deadline);

// Turns off Nagle's algorithm, which would hold small pieces back; no effect on Unix sockets.
void SendAtOnce(int socket);

// Writes the integer to a pipe whose reader takes it at once, so there is no deadline.
bool WriteInt(int fd, int32_t value);
bool WriteText(int fd, const char* text);

}  // namespace protium::launcher
