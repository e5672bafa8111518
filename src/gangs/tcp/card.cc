// SPDX-License-Identifier: Apache-2.0
#include "tcp/card.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/digest.h"
#include "base/fault.h"
#include "base/json.h"
#include "base/text.h"
#include "os/file.h"
#include "tcp/mac.h"

namespace protium {
namespace {

constexpr int64_t kVersion = 2;
// Bounds on outside input, before the key has been checked.
constexpr size_t kMostCardBytes = 64 << 10;
constexpr size_t kMostAddresses = 256;
constexpr int64_t kMostRanks = 1 << 16;

// Reads the members of a JSON object; remembers the first that is missing or of the wrong type.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  std::string Text(const char* name) {
    const Json* value = Find(name, &Json::is_string);
    return value == nullptr ? std::string() : value->get<std::string>();
  }
  int64_t Number(const char* name) {
    const Json* value = Find(name, &Json::is_number_integer);
    return value == nullptr ? 0 : value->get<int64_t>();
  }
  bool Flag(const char* name) {
    const Json* value = Find(name, &Json::is_boolean);
    return value != nullptr && value->get<bool>();
  }
  std::vector<std::string> Texts(const char* name) {
    std::vector<std::string> texts;
    const Json* value = Find(name, &Json::is_array);
    if (value == nullptr) return texts;
    for (const Json& each : *value) {
      if (!each.is_string() || texts.size() == kMostAddresses) {
        if (wrong_.empty()) wrong_ = name;
        break;
      }
      texts.push_back(each.get<std::string>());
    }
    return texts;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Json* Find(const char* name, bool (Json::*is)() const noexcept) {
    const auto found = json_.find(name);
    if (found != json_.end() && ((*found).*is)()) return &*found;
    if (wrong_.empty()) wrong_ = name;
    return nullptr;
  }

  const Json& json_;
  std::string wrong_;
};

Status NoCard(std::string_view why) {
  return Fail({.exit = Exit::kRemote,
               .what = "what a rank sent is not a gang's card: " + std::string(why),
               .fix = "start all ranks from the same build"});
}

std::string MacText(const Json& without_mac, const std::string& key) {
  // With "card" a MAC of another kind cannot pass for a card's.
  return Hex(ComputeMac(key, "card", Dump(without_mac)));
}

// Checks the "mac" of a text that ReadCard() has accepted. Dump() writes keys in order and without
// spaces, so both sides sign the same bytes however the text was formatted.
Status CheckMac(std::string_view text, const Card& card, const std::string& key) {
  PT_LET(Json json, ParseJson(text));
  const Json mac = json.value("mac", Json());
  json.erase("mac");
  if (mac.is_string() && SameMac(mac.get<std::string>(), MacText(json, key))) return Status::OK();
  return Fail({.exit = Exit::kRemote,
               .what = "the card of " + DescribeRank(card) + " was not made with the gang's key",
               .why = "it belongs to another gang, or was changed in transit"});
}

std::string AddressText(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes =
      address->sa_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
          : &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  const char* written = inet_ntop(address->sa_family, bytes, text.data(), text.size());
  return written == nullptr ? std::string() : std::string(written);
}

bool Usable(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
  if (entry.ifa_addr->sa_family == AF_INET) return true;
  // Link-local addresses mean nothing without an interface of the other host.
  return entry.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr);
}

}  // namespace

std::string WriteCard(const Card& card, const std::string& key) {
  Json json = {{"protium", kVersion},
               {"rank", card.rank},
               {"world", card.world},
               {"host", card.host},
               {"machine", card.machine},
               {"addresses", card.addresses},
               {"unix", card.unix_path},
               {"certificate", card.certificate},
               {"plaintext", card.plaintext},
               {"always_encrypt", card.always_encrypt},
               {"shared_memory", card.shared_memory}};
  json["mac"] = MacText(json, key);
  return Dump(json);
}

Result<Card> ReadCard(std::string_view text) {
  if (text.size() > kMostCardBytes) return NoCard(fmt::format("it has {} bytes", text.size()));
  const auto json = ParseJson(text);
  if (!json.ok() || !json->is_object()) return NoCard("it is not a JSON object");
  Members members(*json);
  // Before all other members, which may differ in another version.
  const int64_t version = members.Number("protium");
  if (version != kVersion)
    return NoCard(fmt::format("its version is {}, not {}", version, kVersion));
  const int64_t rank = members.Number("rank");
  const int64_t world = members.Number("world");
  Card card{.host = members.Text("host"),
            .machine = members.Text("machine"),
            .addresses = members.Texts("addresses"),
            .unix_path = members.Text("unix"),
            .certificate = members.Text("certificate"),
            .plaintext = members.Flag("plaintext"),
            .always_encrypt = members.Flag("always_encrypt"),
            .shared_memory = members.Flag("shared_memory")};
  if (!members.wrong().empty())
    return NoCard("its member \"" + members.wrong() + "\" is missing or wrong");
  // While they have 64 bits, before they are narrowed.
  if (world < 1 || world > kMostRanks || rank < 0 || rank >= world) {
    return NoCard(fmt::format("it is of rank {} in a world of {}", rank, world));
  }
  card.rank = int32_t(rank);
  card.world = int32_t(world);
  return card;
}

Result<std::vector<Card>> ReadCards(const std::vector<std::string>& texts, const std::string& key) {
  std::vector<Card> cards;
  for (size_t r = 0; r < texts.size(); ++r) {
    PT_LET(Card card, ReadCard(texts[r]));
    if (size_t(card.rank) != r || size_t(card.world) != texts.size()) {
      return NoCard(fmt::format("card {} of {} is that of rank {} in a world of {}", r,
                                texts.size(), card.rank, card.world));
    }
    PT_TRY(CheckMac(texts[r], card, key));
    cards.push_back(std::move(card));
  }
  return cards;
}

bool OnOneHost(const Card& a, const Card& b) {
  return !a.machine.empty() && a.machine == b.machine;
}

bool Encrypted(const Card& a, const Card& b) {
  if (a.always_encrypt || b.always_encrypt) return true;
  return !OnOneHost(a, b) && !(a.plaintext && b.plaintext);
}

std::string DescribeRank(const Card& card) {
  return fmt::format("rank {} on {}", card.rank, card.host);
}

std::string MachineIdentity(std::vector<std::string> addresses) {
  const auto boot = ReadFile("/proc/sys/kernel/random/boot_id", 4096);
  std::error_code error;
  // "net:[4026531840]": the number distinguishes namespaces.
  const auto network = std::filesystem::read_symlink("/proc/self/ns/net", error);
  if (!boot.ok() || error) return "";
  // The order of interfaces does not count.
  std::sort(addresses.begin(), addresses.end());
  return Sha256Hex(fmt::format("{}{}{}", *boot, network.string(), fmt::join(addresses, " ")))
      .substr(0, 32);
}

std::vector<std::string> OwnAddresses() {
  ifaddrs* first = nullptr;
  // Ranks of one host can still find each other.
  if (getifaddrs(&first) != 0) return {"127.0.0.1"};
  std::vector<std::string> addresses;
  for (const bool loopback : {true, false}) {
    for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
      if (!Usable(*each) || ((each->ifa_flags & IFF_LOOPBACK) != 0) != loopback) continue;
      addresses.push_back(AddressText(each->ifa_addr));
    }
  }
  freeifaddrs(first);
  // ReadCard() refuses more.
  if (addresses.size() > kMostAddresses) addresses.resize(kMostAddresses);
  return addresses;
}

}  // namespace protium
