// SPDX-License-Identifier: Apache-2.0
// The gRPC channel to a Spark server: limits, TLS, and how it reconnects.
#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "base/status.h"
#include "connect/address.h"

namespace protium::connect {

// Bytes of the largest message, in either direction. It is the limit that Spark's server has by
// default; gRPC's own of 4 MiB is less than one batch of rows can have.
inline constexpr int kLongestMessage = 128 << 20;

// A channel, which connects when it is first used. With TLS the server must prove its identity by
// the system's root certificates, or by those in the file that GRPC_DEFAULT_SSL_ROOTS_FILE_PATH or
// SSL_CERT_FILE names; if there are none that is a Fault of exit kEnvironment.
Result<std::shared_ptr<grpc::Channel>> OpenChannel(const SparkAddress& address);

}  // namespace protium::connect
