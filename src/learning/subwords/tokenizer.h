// SPDX-License-Identifier: Apache-2.0
// Texts as the ids that a pretrained net reads, cut as Hugging Face's library cuts them by the same
// file: word pieces (BERT) and byte pairs (GPT-2, RoBERTa).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

// Immutable; any thread.
class SubwordTokenizer {
 public:
  // Reads tokenizer.json or vocab.txt, at most 64 MiB. `lower_case` is for the latter, which does
  // not say. Fails with Exit::kInput for what is damaged, and by name for what is not built.
  static Result<SubwordTokenizer> Open(const std::filesystem::path& file, bool lower_case);
  // The same for the text of such a file.
  static Result<SubwordTokenizer> OfText(std::string_view text, bool lower_case);

  // Of a valid text in UTF-8: what stands before it, its pieces and what stands behind it, at most
  // `length` ids in all, which is SmallestLength() or more. Pieces that do not fit are left out.
  std::vector<int32_t> Encode(std::string_view text, int64_t length) const;
  int64_t SmallestLength() const;

  // The id that fills rows up to their length.
  int32_t padding() const;
  // Of the file.
  const std::string& sha256() const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace protium
