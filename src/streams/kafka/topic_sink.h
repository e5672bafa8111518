// SPDX-License-Identifier: Apache-2.0
// A topic as the sink of a stream.
//
// Once: a batch is one transaction, which also commits an offset of the topic's partition 0 to the
// group "protium-stream-NAME.written": the number of the batch, with its name ("batch 12").
// Messages and number become visible together or not at all, so after a crash the number says
// whether the batch is there. Transactions carry the stream's name: of two processes that run it,
// Kafka refuses the earlier.
//
// At least once: messages are there when all replicas in sync have them; a batch that was
// interrupted is written again, whole.
//
// Rows without a key go batch by batch to the next partition, so that a batch stays together and in
// order; rows with one go where Kafka's own clients put the key (murmur2).
#pragma once

#include "kafka/open.h"

namespace protium {

Result<std::unique_ptr<StreamSink>> OpenTopicSink(const KafkaSinkOptions& options);

}  // namespace protium
