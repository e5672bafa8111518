// SPDX-License-Identifier: Apache-2.0
// cpp-httplib as Debian builds it: the layout of its classes depends on these macros. Included only
// by files that are compiled separately, since the library brings many names with it.
#pragma once

#define CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#include <httplib.h>
