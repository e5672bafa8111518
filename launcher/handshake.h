// SPDX-License-Identifier: Apache-2.0
// How a worker makes itself known to the JVM, before any task.
#pragma once

namespace protium::launcher {

enum class Transport { kTcp, kUnix };  // Over Unix sockets there is no secret.

// As a daemon's child: sends the own process id and lets the JVM prove that it knows the secret.
bool Greet(int socket, Transport transport);

// As a process of its own: connects to the JVM that waits for it, proves that it knows the secret
// and sends `pid`. The socket, or -1 with the reason on stderr.
int ConnectToJvm();
bool Introduce(int socket, int pid);

// Whether SPARK_PREFER_IPV6 asks for ::1 instead of 127.0.0.1.
bool PrefersIpv6();

}  // namespace protium::launcher
