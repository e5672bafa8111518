// SPDX-License-Identifier: Apache-2.0
// How a worker identifies itself to the JVM before any task, as Spark's PythonWorkerFactory expects
// it: in daemon mode (Greet) and in simple mode (ConnectToJvm, Introduce). All of it must happen
// within SPARK_AUTH_SOCKET_TIMEOUT seconds, 15 if that is not set.
#pragma once

namespace protium::launcher {

// Over Unix sockets there is no secret: the file's permissions protect the connection.
enum class Transport { kTcp, kUnix };

// For a daemon's child: sends its own process id and checks that the JVM knows the secret. False if
// it does not.
bool Greet(int socket, Transport transport);

// For a process of its own: connects to the JVM that waits for it and proves that it knows the
// secret. Returns the socket, or -1 after printing the reason on stderr.
int ConnectToJvm();
// Sends the process id that the JVM is to watch and kill.
bool Introduce(int socket, int pid);

// Whether SPARK_PREFER_IPV6 asks for ::1 instead of 127.0.0.1.
bool PrefersIpv6();

}  // namespace protium::launcher
