// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "os/library.h"
#include "serve/serve.h"

namespace protium {

void BlockHangup() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

Result<std::unique_ptr<ModelServer>> OpenModelServer(const ServeOptions& options) {
  const std::string file = "libprotium_serve.so", needed_for = "serving models";
  PT_LET(void* const entry, OpenBeside(file, "protium_open_serve", needed_for, "./dev build"));
  Result<std::unique_ptr<ModelServer>> server = Status::UnknownError("not opened");
  if (reinterpret_cast<ServeEntry>(entry)(kServeLibraryVersion, options, server)) return server;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
