// SPDX-License-Identifier: Apache-2.0
#include "own_nets/wide_net.h"

PROTIUM_EXTENSION(own) {
  own.nets.push_back(protium::NetOf<WideNet, WideOptions>("wide", "a net of the tests"));
}
