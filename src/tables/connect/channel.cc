// SPDX-License-Identifier: Apache-2.0
#include "connect/channel.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <cstdlib>
#include <filesystem>

#include "base/fault.h"
#include "os/file.h"

namespace protium::connect {

namespace {

// Bytes; distributions' files have some hundred kilobytes.
constexpr int64_t kLongestRoots = 16 << 20;

// Read here and not by gRPC, so that SSL_CERT_FILE works too, and a missing file is a fault with a
// name instead of a failed handshake.
Result<std::string> ReadRoots() {
  for (const char* const variable : {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "SSL_CERT_FILE"}) {
    const char* const path = std::getenv(variable);
    if (path == nullptr || *path == '\0') continue;
    auto text = ReadFile(path, kLongestRoots);
    if (!text.ok()) return Annotate(text.status(), std::string(variable) + "=" + path);
    return text;
  }
  // Debian, Fedora and RHEL, openSUSE, Alpine and others.
  for (const char* const path :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return ReadFile(path, kLongestRoots);
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = "no root certificates found, which use_ssl needs",
               .fix = "install the package ca-certificates, or set SSL_CERT_FILE"});
}

grpc::ChannelArguments Arguments(const SparkAddress& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLongestMessage);
  arguments.SetMaxSendMessageSize(kLongestMessage);
  // The retries of this folder decide how often to reconnect; the channel must not lag behind them.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  // Otherwise channels of one process to the same address share a connection, with its back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const bool local =
      address.host == "localhost" || address.host == "::1" || address.host.starts_with("127.");
  // gRPC would use http_proxy even for this machine.
  if (local) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return arguments;
}

// Errors are reported once, as a fault. gRPC's own log lines are only for those who request them.
void SilenceGrpc() {
  if (std::getenv("GRPC_VERBOSITY") != nullptr) return;
  gpr_set_log_verbosity(static_cast<gpr_log_severity>(GPR_LOG_SEVERITY_ERROR + 1));
}

}  // namespace

Result<std::shared_ptr<grpc::Channel>> OpenChannel(const SparkAddress& address) {
  SilenceGrpc();
  auto credentials = grpc::InsecureChannelCredentials();
  if (address.tls) {
    grpc::SslCredentialsOptions options;
    PT_LET(options.pem_root_certs, ReadRoots());
    credentials = grpc::SslCredentials(options);
  }
  return grpc::CreateCustomChannel(address.target(), credentials, Arguments(address));
}

}  // namespace protium::connect
