// SPDX-License-Identifier: Apache-2.0
// The protocol's messages, made from plan.proto and service.proto at build time.
#pragma once

#include "connect/plan.pb.h"
#include "connect/service.pb.h"

namespace protium::connect {

namespace proto = ::spark::connect;

}  // namespace protium::connect
