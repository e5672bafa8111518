// SPDX-License-Identifier: Apache-2.0
// An extension whose net has the name of a built-in one.
#include "own_nets/wide_net.h"

PROTIUM_EXTENSION(own) {
  own.nets.push_back(protium::MakeNetRow<WideNet, WideOptions>("linear", "another linear"));
}
