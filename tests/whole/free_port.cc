// SPDX-License-Identifier: Apache-2.0
#include "whole/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

namespace protium::whole {
namespace {

bool Answers(int port) {
  const UniqueFd caller(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in address{.sin_family = AF_INET,
                            .sin_port = htons(static_cast<uint16_t>(port)),
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
  return connect(caller.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

}  // namespace

int FreePort() {
  const UniqueFd listening(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof(address);
  bind(listening.get(), reinterpret_cast<sockaddr*>(&address), size);
  getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool AwaitAnswer(int port, Running& server) {
  for (int i = 0; i < 600 && server.alive(); ++i) {
    if (Answers(port)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace protium::whole
