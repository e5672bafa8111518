// SPDX-License-Identifier: Apache-2.0
// How a worker makes itself known to the JVM before any task: what Spark's PythonWorkerFactory
// expects, in daemon mode (Greet) and in simple mode (ConnectToJvm, Introduce). Everything within
// SPARK_AUTH_SOCKET_TIMEOUT seconds, 15 if it is not set.
#pragma once

namespace protium::launcher {

// Over Unix sockets there is no secret: the file's permissions protect them.
enum class Transport { kTcp, kUnix };

// As a daemon's child: sends its own process id and lets the JVM prove that it knows the secret.
// False if it does not.
bool Greet(int socket, Transport transport);

// As a process of its own: connects to the JVM that waits for it and proves that it knows the
// secret. Returns the socket, or -1 with the reason on stderr.
int ConnectToJvm();
// Sends the process id that the JVM is to watch and kill.
bool Introduce(int socket, int pid);

// Whether SPARK_PREFER_IPV6 asks for ::1 instead of 127.0.0.1.
bool PrefersIpv6();

}  // namespace protium::launcher
