// SPDX-License-Identifier: Apache-2.0
// Files on their way to a session: the call AddArtifacts, a stream of requests with one answer.
#pragma once

#include <vector>

#include "connect/session.h"
#include "connect/wire.h"

namespace protium::connect {

// CRC-32 with zlib's polynomial, the checksum that Spark expects with each chunk.
uint32_t Crc32(std::string_view bytes);

// Uploads one after another, each in a call of its own, in chunks of `chunk_bytes`. A call that
// fails for a passing reason is repeated from the file's first byte. A chunk whose checksum the
// server finds wrong fails the upload with exit kRemote, a file that cannot be read with kInput.
Status Upload(Wire& wire, const std::vector<Artifact>& artifacts, int64_t chunk_bytes,
              const Call& call);

}  // namespace protium::connect
