// SPDX-License-Identifier: Apache-2.0
// cpp-httplib as Debian has built it: the layout of its classes depends on these macros. Included
// by files that are compiled by themselves, since the library brings names of its own.
#pragma once

#define CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#include <httplib.h>
