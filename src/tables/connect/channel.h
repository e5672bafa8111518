// SPDX-License-Identifier: Apache-2.0
// The gRPC channel to a Spark server: limits, TLS, and how it reconnects.
#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "base/status.h"
#include "connect/address.h"

namespace protium::connect {

// The largest message in bytes, in either direction. Spark's server has this limit by default;
// gRPC's own of 4 MiB is smaller than one batch of rows may be.
inline constexpr int kLongestMessage = 128 << 20;

// Returns a channel, which connects when it is first used. With TLS the server must prove its
// identity by the system's root certificates, or by those in the file that
// GRPC_DEFAULT_SSL_ROOTS_FILE_PATH or SSL_CERT_FILE names; if there are none, that is a Fault of
// exit kEnvironment.
Result<std::shared_ptr<grpc::Channel>> OpenChannel(const SparkAddress& address);

}  // namespace protium::connect
