// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "base/status.h"
#include "spark/connect/address.h"

namespace protium::connect {

// No message may be larger, in either direction.
inline constexpr int kLongestMessage = 128 << 20;

// A channel, which connects when it is first used. With TLS the server must prove itself by the
// system's root certificates, or by the file that SSL_CERT_FILE or GRPC_DEFAULT_SSL_ROOTS_FILE_PATH
// names.
Result<std::shared_ptr<grpc::Channel>> OpenChannel(const SparkAddress& address);

}  // namespace protium::connect
