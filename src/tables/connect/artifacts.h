// SPDX-License-Identifier: Apache-2.0
// Uploads files to a session: the call AddArtifacts, a stream of requests with one response.
#pragma once

#include <vector>

#include "connect/session.h"
#include "connect/wire.h"

namespace protium::connect {

// CRC-32 with zlib's polynomial, the checksum that Spark expects with each chunk.
uint32_t Crc32(std::string_view bytes);

// Uploads them one after another, each in its own call, in chunks of `chunk_bytes`. A call that
// fails for a transient reason is repeated from the file's first byte. A chunk whose checksum the
// server rejects fails the upload with exit kRemote, an unreadable file with kInput.
Status Upload(Wire& wire, const std::vector<Artifact>& artifacts, int64_t chunk_bytes,
              const Call& call);

}  // namespace protium::connect
