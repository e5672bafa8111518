// SPDX-License-Identifier: Apache-2.0
// What Spark's JVM and its workers say to each other: big-endian 32-bit integers, and texts with
// their length before them. All fail (false) when the other side is gone or the deadline passed.
#pragma once

#include <stdint.h>

namespace protium::launcher {

bool SendInt(int socket, int32_t value, int64_t deadline);
bool SendText(int socket, const char* text, int64_t deadline);
bool ReceiveInt(int socket, int32_t* value, int64_t deadline);
// Receives a text of fewer than `room` bytes and ends it with a zero; a longer one fails.
bool ReceiveText(int socket, char* into, int32_t room, int32_t* length, int64_t deadline);
// Reads and forgets until the other side closes or the deadline.
void Drain(int socket, int64_t deadline);

// Sends small pieces at once; nothing happens to a socket that is not TCP's.
void SendAtOnce(int socket);

// The same to a pipe that is not slow to take them.
bool WriteInt(int fd, int32_t value);
bool WriteText(int fd, const char* text);

}  // namespace protium::launcher
