// SPDX-License-Identifier: Apache-2.0
// Files on their way to a session.
#pragma once

#include <vector>

#include "spark/connect/session.h"
#include "spark/connect/wire.h"

namespace protium::connect {

// The checksum of each chunk: CRC-32 with zlib's polynomial.
uint32_t Crc32(std::string_view bytes);

// Uploads one after another, in chunks of `chunk_bytes`. What the session has already, with equal
// bytes, is no error. A chunk whose checksum the server finds wrong makes the whole fail.
Status Upload(Wire& wire, const std::vector<Artifact>& artifacts, int64_t chunk_bytes,
              const Call& call);

}  // namespace protium::connect
