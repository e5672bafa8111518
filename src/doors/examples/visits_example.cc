// SPDX-License-Identifier: Apache-2.0
// Writes the visits to an invented web shop (example "visits"): who came when and from where, what
// they looked at, what they wrote to the assistant, and whether they bought something.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strict_math.h"
#include "examples/example.h"
#include "examples/random.h"
#include "examples/table_file.h"

namespace protium {

namespace fs = std::filesystem;

namespace visits {
namespace {

using example::TableFile;

// A value of a column, its frequency relative to the others, and what it adds to the logarithm of
// the odds of buying.
struct Choice {
  const char* text;
  double share;
  double effect;
};

constexpr Choice kSources[] = {{"search", 0.38, 0.2},
                               {"direct", 0.22, 0.1},
                               {"newsletter", 0.12, 0.6},
                               {"social media", 0.2, -0.7},
                               {"partner", 0.08, -0.2}};
constexpr Choice kDevices[] = {{"phone", 0.58, -0.3}, {"desktop", 0.34, 0.25}, {"tablet", 0.08, 0}};
constexpr Choice kCountries[] = {{"AT", 0.08, 0.1}, {"BE", 0.09, 0},   {"CZ", 0.05, -0.1},
                                 {"DE", 0.3, 0.1},  {"DK", 0.05, 0.2}, {"ES", 0.11, -0.2},
                                 {"FR", 0.16, 0},   {"IT", 0.1, -0.1}, {"PT", 0.06, -0.3}};
constexpr Choice kPages[] = {{"shoes", 0.2, 0},    {"coats", 0.14, 0},     {"shirts", 0.14, 0},
                             {"bags", 0.1, 0},     {"sports", 0.1, 0},     {"sale", 0.12, 0.25},
                             {"sizes", 0.05, 0.5}, {"reviews", 0.06, 0.3}, {"basket", 0.05, 1.7},
                             {"returns", 0.04, -1}};
constexpr Choice kOpenings[] = {
    {"just looking for", 0.2, -0.5},      {"do you have", 0.2, 0.2},
    {"i want to buy", 0.12, 1.1},         {"a present for my", 0.1, 0.7},
    {"where is my order of", 0.14, -1.3}, {"how do i return", 0.12, -1.4},
    {"can i compare", 0.12, 0.1}};
constexpr Choice kThings[] = {{"black boots", 0.2, 0.1},     {"a winter coat", 0.2, 0.2},
                              {"running shoes", 0.2, 0.2},   {"the blue shirt", 0.15, 0},
                              {"a leather bag", 0.15, -0.1}, {"football socks", 0.1, -0.2}};
constexpr Choice kClosings[] = {{"", 0.5, 0},
                                {"in size 42", 0.15, 0.5},
                                {"on sale", 0.15, 0.3},
                                {"today please", 0.1, 0.6},
                                {"for school", 0.1, -0.1}};

template <size_t N>
const Choice& Draw(const Choice (&choices)[N], Random& random) {
  double left = random.Uniform();
  for (const Choice& each : choices) {
    left -= each.share;
    if (left < 0) return each;
  }
  return choices[N - 1];
}

// Days count from 2024-01-01, a Monday.
std::string DateText(int day) {
  const std::chrono::sys_days from{std::chrono::year{2024} / 1 / 1};
  const std::chrono::year_month_day date(from + std::chrono::days(day));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

// Simulates typing mistakes: a letter left out, doubled, swapped with the next, or replaced.
std::string Mistyped(std::string word, Random& random) {
  const size_t at = random.Below(word.size());
  const double kind = random.Uniform();
  if (word.size() < 3 || kind < 0.25) return word.insert(at, 1, word[at]);
  if (kind < 0.5) return word.erase(at, 1);
  if (kind < 0.75 && at + 1 < word.size()) {
    std::swap(word[at], word[at + 1]);
  } else {
    word[at] = static_cast<char>('a' + random.Below(26));
  }
  return word;
}

// Mistypes each word of a text with this probability.
std::string Typed(std::string_view text, double probability, Random& random) {
  std::string typed;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    if (!typed.empty()) typed += ' ';
    typed += random.Chance(probability) ? Mistyped(word, random) : word;
    at = end + 1;
  }
  return typed;
}

struct Customer {
  int registered = 0;  // A day number.
  int orders = 0;
  const Choice* country = nullptr;
  const Choice* favourite = nullptr;  // A kind of page.
};

Customer DrawCustomer(Random& random) {
  Customer customer;
  customer.registered = 300 - static_cast<int>(random.Below(1500));
  customer.orders = static_cast<int>(-3 * StrictLog(1 - random.Uniform()));
  customer.country = &Draw(kCountries, random);
  customer.favourite = &kPages[random.Below(5)];
  return customer;
}

// One line of the table, and the odds of buying as they accumulate from cell to cell.
struct Visit {
  double log_odds = -5.22;
  std::string cells;

  void Add(std::string_view cell, double effect = 0) {
    cells.append(cell).push_back(',');
    log_odds += effect;
  }
};

// Evenings, weekends and the weeks before Christmas sell better.
void AddTime(int day, Visit& visit, Random& random) {
  const int hour = static_cast<int>(std::min(23.0, std::abs(15 + 5 * random.Normal())));
  const size_t minute = random.Below(60);
  const size_t second = random.Below(60);
  double effect = hour >= 18 && hour < 22 ? 0.4 : hour < 7 ? -0.5 : 0;
  if (day % 7 >= 5) effect += 0.2;
  if (day >= 320 && day < 357) effect += 0.6;
  visit.Add(fmt::format("{} {:02}:{:02}:{:02}", DateText(day), hour, minute, second), effect);
}

// Customers who have bought before, or came to buy, do buy; nothing is known about a visitor who
// has not signed in.
void AddCustomer(const std::optional<Customer>& customer, int day, Visit& visit, Random& random) {
  const Choice& country = customer ? *customer->country : Draw(kCountries, random);
  if (customer) {
    const int known = day - customer->registered;
    visit.Add(DateText(customer->registered), known < 30 ? 0.6 : 0);
    visit.Add(std::to_string(customer->orders), 0.35 * StrictLog1p(customer->orders));
  } else {
    visit.Add(",", -0.5);
  }
  visit.Add(country.text, country.effect);
}

void AddSource(Visit& visit, Random& random) {
  const Choice& source = Draw(kSources, random);
  std::string text = Typed(source.text, 0.08, random);
  if (random.Chance(0.1)) text[0] = static_cast<char>(std::toupper(text[0]));
  if (random.Chance(0.05)) text += ' ';
  visit.Add(text, source.effect);
}

// A list in one cell: shoes
// shoes
// sale. Long visits on a phone are those of buyers.
void AddPages(const std::optional<Customer>& customer, bool phone, Visit& visit, Random& random) {
  std::string list;
  double effect = 0;
  int pages = 0;
  bool favourite = false;
  do {
    const Choice& page = Draw(kPages, random);
    // Pages seen twice count once.
    if (list.find(page.text) == list.npos) effect += page.effect;
    list += (pages > 0 ? "|" : "") + std::string(page.text);
    favourite = favourite || (customer && customer->favourite->text == page.text);
    ++pages;
  } while (pages < 12 && random.Chance(0.72));
  effect += 0.5 * StrictLog1p(pages) + (favourite ? 0.3 : 0) + (phone && pages > 6 ? 0.5 : 0);
  const double seconds = 20.0 * pages * (1 - StrictLog(1 - random.Uniform()));
  visit.Add(random.Chance(0.03) ? "" : fmt::format("{:.1f}", seconds));
  visit.Add(list, effect);
}

// Most write nothing to the assistant.
void AddMessage(Visit& visit, Random& random) {
  if (random.Chance(0.55)) return visit.Add("");
  const Choice& opening = Draw(kOpenings, random);
  const Choice& thing = Draw(kThings, random);
  const Choice& closing = Draw(kClosings, random);
  std::string text = fmt::format("{} {} {}", opening.text, thing.text, closing.text);
  if (text.back() == ' ') text.pop_back();
  visit.Add(Typed(text, 0.07, random), opening.effect + thing.effect + closing.effect);
}

std::string LineOf(int64_t number, std::optional<Customer> customer, Random random) {
  Visit visit;
  visit.Add(std::to_string(number));
  const int day = static_cast<int>(random.Below(366));
  if (customer && customer->registered > day) customer.reset();
  AddTime(day, visit, random);
  AddCustomer(customer, day, visit, random);
  const Choice& device = Draw(kDevices, random);
  visit.Add(device.text, device.effect);
  AddSource(visit, random);
  AddPages(customer, device.text == kDevices[0].text, visit, random);
  AddMessage(visit, random);
  // 1 / (1 + exp(-x)), by a function with the same bits on every machine.
  const double probability = 1 / (2 + StrictExpm1(-visit.log_odds));
  return visit.cells + (random.Chance(probability) ? "true" : "false");
}

}  // namespace
}  // namespace visits

Result<int64_t> WriteVisitsExample(const fs::path& folder, const ExampleSize& size) {
  PT_TRY(example::MakeFolder(folder));
  Random random(static_cast<uint64_t>(size.seed));
  const int64_t rows = std::max<int64_t>(size.rows, 1);
  std::vector<visits::Customer> customers;
  for (int64_t i = 0; i <= rows / 5; ++i) customers.push_back(visits::DrawCustomer(random));
  example::TableFile file(folder / "visits.csv");
  file.Line(
      "visit,started,registered,orders,country,device,came_from,seconds,pages,message,bought");
  for (int64_t i = 1; i <= rows; ++i) {
    std::optional<visits::Customer> customer = customers[random.Below(customers.size())];
    if (random.Chance(0.45)) customer.reset();
    file.Line(visits::LineOf(i, customer, Random(random.Next())));
  }
  PT_TRY(file.Finish());
  return rows;
}

}  // namespace protium
