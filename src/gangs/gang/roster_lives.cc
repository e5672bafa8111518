// SPDX-License-Identifier: Apache-2.0
#include "gang/roster_lives.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace protium {
namespace {

using Time = int64_t;  // Microseconds.
constexpr Time kMilli = 1000, kSecond = 1'000'000;
// A life must end within this time after the last fault.
constexpr Time kBound = 100 * kSecond;

Clock::time_point At(Time time) { return Clock::time_point(std::chrono::microseconds(time)); }

enum class Stage { kLoading, kPreparing, kWaiting, kForming, kComputing, kReducing, kDone };

struct Body {
  bool alive = true;
  Stage doing = Stage::kLoading;
  int64_t in = 0;        // Its generation.
  int64_t step = 0;      // Steps made.
  uint64_t weights = 0;  // Determined by the steps made.
  bool newcomer = false;
  std::optional<Generation> call;  // The newest that it has received.
  int64_t turn = 0;  // Grows with every change of `doing`, which cancels earlier plans.
};

// What the members of a generation share.
struct Group {
  std::vector<int32_t> members;
  std::map<int32_t, int64_t> came;   // While forming: with how many steps.
  std::map<int32_t, bool> reducing;  // Arrived at the reduction; true: wants to leave after it.
  bool formed = false;
  bool broken = false;  // Somebody died in it or left it.
  bool by_death = false;
};

class Life {
 public:
  explicit Life(const LifeSpec& spec)
      : spec_(spec), random_(spec.seed), roster_(spec.limits, spec.members, At(0)) {
    for (int32_t m = 0; m < spec.members; ++m) bodies_[m] = {};
    groups_[0].members = roster_.newest().members;
    groups_[0].formed = true;
  }

  LifeEnd Run() {
    for (auto& [number, body] : bodies_) {
      After(Draw(1, 20) * kMilli, [this, m = number] { Load(m); });
    }
    const Time span = spec_.steps * 8 * kMilli;
    Plan(spec_.deaths, span, [this] { KillOne(); });
    Plan(spec_.wishes, span, [this] {
      roster_.Want(int32_t(Draw(1, spec_.limits.max + 1)), At(now_));
      Obey();
    });
    Plan(spec_.notices, span, [this] { NoticeOne(); });
    while (!events_.empty() && end_.broken.empty() && !over_) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      if (now_ > last_fault_ + kBound) return Broken("nothing ends it");
      event.act();
    }
    if (end_.broken.empty() && !over_) Break("everybody waits for ever");
    end_.generations = roster_.newest().number;
    return end_;
  }

 private:
  struct Event {
    Time at;
    int64_t order;
    std::function<void()> act;
    bool operator<(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  int64_t Draw(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random_);
  }
  void After(Time delay, std::function<void()> act) {
    events_.push({now_ + delay, next_++, std::move(act)});
  }
  void Plan(double expected, Time span, const std::function<void()>& act) {
    const auto count = std::poisson_distribution<int>(std::max(expected, 1e-9))(random_);
    for (int i = 0; i < count; ++i) {
      const Time at = Draw(0, span);
      last_fault_ = std::max(last_fault_, at);
      After(at, act);
    }
  }
  // Schedules `act` for a member, unless it has gone on by then.
  void Later(int32_t m, Time delay, std::function<void()> act) {
    After(delay, [this, m, turn = bodies_[m].turn, act = std::move(act)] {
      if (bodies_[m].alive && bodies_[m].turn == turn) act();
    });
  }
  void Turn(int32_t m, Stage doing) {
    bodies_[m].doing = doing;
    ++bodies_[m].turn;
  }
  void Break(std::string promise) {
    if (end_.broken.empty()) end_.broken = fmt::format("at {} us: {}", now_, promise);
  }
  LifeEnd Broken(std::string promise) {
    Break(std::move(promise));
    return end_;
  }

  // The driver.
  void Obey() {
    for (const RosterOrder& order : roster_.Orders()) {
      switch (order.kind) {
        case RosterOrder::Kind::kStart:
          Start(order.member);
          break;
        case RosterOrder::Kind::kCall:
          Call(spec_.planted == Planted::kTakesOtherRank ? Shifted(order.generation)
                                                         : order.generation);
          break;
        case RosterOrder::Kind::kDismiss:
          Kill(order.member);
          break;
        case RosterOrder::Kind::kEnd:
          over_ = true;
          break;
      }
    }
    if (const Deadline due = roster_.due(); due != kNever) {
      const Time at =
          std::chrono::duration_cast<std::chrono::microseconds>(due.time_since_epoch()).count();
      After(std::max<Time>(at - now_, 0) + 1, [this] {
        roster_.Look(At(now_));
        if (!over_) Obey();
      });
    }
  }

  void Start(int32_t m) {
    bodies_[m] = {.doing = Stage::kPreparing, .newcomer = true};
    int32_t alive = 0;
    for (const auto& [number, body] : bodies_) alive += body.alive && body.doing != Stage::kDone;
    // Those that are about to leave may still be alive.
    if (alive > 3 * spec_.limits.max) Break(fmt::format("{} members are alive", alive));
    Later(m, Draw(20, 300) * kMilli, [this, m] {
      Turn(m, Stage::kWaiting);
      After(Draw(50, 500), [this, m] {
        roster_.Prepared(m, At(now_));
        Obey();
      });
    });
  }

  Generation Shifted(Generation generation) const {
    std::ranges::sort(generation.members);
    return generation;
  }

  // Who lives keeps its rank, and only newcomers that were never called take others'.
  void CheckRanks(const Generation& generation) {
    const std::vector<int32_t>& before = called_.empty() ? groups_[0].members : called_;
    for (size_t rank = 0; rank < before.size(); ++rank) {
      const int32_t was = before[rank], is = generation.members[rank];
      if (was == is) continue;
      ++end_.taken;
      if (rank == 0) Break("rank 0 is taken");
      if (std::ranges::find(before, is) != before.end()) {
        Break(fmt::format("member {} changes its rank to {}", is, rank));
      }
      if (bodies_[was].alive) Break(fmt::format("member {} lives, and {} has its rank", was, is));
    }
  }

  void Call(const Generation& generation) {
    if (spec_.limits.fixed_ranks) CheckRanks(generation);
    const auto size = int32_t(generation.members.size());
    if (size < spec_.limits.min || size > spec_.limits.max) {
      Break(fmt::format("a generation of {}", size));
    }
    std::set<int32_t> told(generation.members.begin(), generation.members.end());
    if (told.size() != generation.members.size()) Break("a member sits twice in a generation");
    told.insert(called_.begin(), called_.end());
    called_ = generation.members;
    groups_[generation.number].members = generation.members;
    for (const int32_t m : told) {
      // Messages to one member stay in order unless the transport may reorder them.
      After(Draw(50, spec_.reorders ? 5 * kMilli : 60),
            [this, m, generation] { Hear(m, generation); });
    }
  }

  void KillOne() {
    std::vector<int32_t> alive;
    for (const auto& [number, body] : bodies_) {
      if (body.alive && body.doing != Stage::kDone) alive.push_back(number);
    }
    if (alive.empty()) return;
    ++end_.deaths;
    Kill(alive[size_t(Draw(0, int64_t(alive.size()) - 1))]);
  }

  void NoticeOne() {
    const std::vector<int32_t>& in = roster_.newest().members;
    const int32_t m = in[size_t(Draw(0, int64_t(in.size()) - 1))];
    const Time grace = Draw(10, 2000) * kMilli;
    last_fault_ = std::max(last_fault_, now_ + grace);
    if (bodies_[m].alive) roster_.Notice(m, At(now_));
    if (!over_) Obey();
    After(grace, [this, m] { Kill(m); });
  }

  void Kill(int32_t m) {
    Body& body = bodies_[m];
    if (!body.alive || body.doing == Stage::kDone) return;
    body.alive = false;
    Quit(m, true);
    const bool changing = roster_.newest().number > 0 && !AllIn();
    if (spec_.planted == Planted::kForgetsDeath && changing) return;
    After(Draw(100, 5 * kMilli), [this, m] {
      roster_.Gone(m, At(now_));
      if (!over_) Obey();
    });
  }

  bool AllIn() const {
    return std::ranges::all_of(roster_.newest().members, [&](int32_t m) {
      return bodies_.at(m).in == roster_.newest().number;
    });
  }

  // A member.
  void Load(int32_t m) {
    if (!bodies_[m].alive) return;
    After(Draw(50, 500), [this, m] {
      if (!bodies_[m].alive) return;
      roster_.Shared(m, At(now_));
      Obey();
      if (!roster_.bends()) return;
      for (const int32_t each : groups_[0].members) Compute(each);
    });
  }

  void Compute(int32_t m) {
    if (!bodies_[m].alive) return;
    Turn(m, Stage::kComputing);
    Later(m, Draw(500, 8 * kMilli), [this, m] { Reduce(m); });
  }

  bool SeesChange(const Body& body) const { return body.call && body.call->number > body.in; }

  void Reduce(int32_t m) {
    Turn(m, Stage::kReducing);
    Group& group = groups_[bodies_[m].in];
    if (group.broken) return NoticeBroken(m);
    group.reducing[m] = SeesChange(bodies_[m]);
    if (group.reducing.size() <
        (spec_.planted == Planted::kFormsEarly ? group.came.size() : group.members.size())) {
      return;
    }
    if (group.reducing.size() < group.members.size()) Break("a step without all of its shards");
    const bool leave =
        std::ranges::any_of(group.reducing, [](const auto& each) { return each.second; });
    const auto all = std::exchange(group.reducing, {});
    for (const auto& [each, own] : all) {
      Later(each, Draw(1, 2 * kMilli), [this, m = each, leave] { Stepped(m, leave); });
    }
  }

  void Stepped(int32_t m, bool leave) {
    Body& body = bodies_[m];
    ++body.step;
    body.weights = body.weights * 6364136223846793005ULL + uint64_t(body.step);
    const auto [known, first] = weights_.emplace(body.step, body.weights);
    if (!first && known->second != body.weights) {
      return Break(fmt::format("member {} has other weights after step {}", m, body.step));
    }
    furthest_ = std::max(furthest_, body.step);
    if (body.step == spec_.steps) {
      Turn(m, Stage::kDone);
      After(Draw(50, 500), [this, m] {
        roster_.Finished(m, At(now_));
        over_ = true;
        end_.finished = true;
      });
      return;
    }
    if (!leave) return Compute(m);
    Turn(m, Stage::kWaiting);
    Follow(m);
  }

  // It has left its generation: others that wait for it are notified.
  void Quit(int32_t m, bool death) {
    const Stage was = bodies_[m].doing;
    if (was != Stage::kForming && was != Stage::kComputing && was != Stage::kReducing) return;
    Group& group = groups_[bodies_[m].in];
    group.reducing.erase(m);
    group.broken = true;
    group.by_death = group.by_death || death;
    for (const int32_t each : group.members) {
      const Body& other = bodies_[each];
      const bool waits = other.doing == Stage::kForming || other.doing == Stage::kReducing;
      if (other.alive && waits && other.in == bodies_[m].in) NoticeBroken(each);
    }
  }

  void NoticeBroken(int32_t m) {
    if (spec_.planted == Planted::kDeafToDeaths) return;
    Later(m, Draw(50, 20 * kMilli), [this, m] { Leave(m); });
  }

  // What a member does after a failed collective call.
  void Leave(int32_t m) {
    const Group& group = groups_[bodies_[m].in];
    const bool called_off = SeesChange(bodies_[m]) && bodies_[m].call->cut;
    if (!group.by_death && !called_off) Break("a collective call failed although nobody died");
    Quit(m, true);
    Turn(m, Stage::kWaiting);
    Follow(m);
  }

  void Hear(int32_t m, const Generation& generation) {
    Body& body = bodies_[m];
    if (!body.alive || body.doing == Stage::kDone) return;
    const bool older = body.call && body.call->number >= generation.number;
    if (older && spec_.planted != Planted::kTakesOlderCall) return;
    body.call = generation;
    if (body.doing == Stage::kWaiting) return Follow(m);
    const bool at_once =
        generation.cut || body.doing == Stage::kForming || spec_.planted == Planted::kLeavesAtOnce;
    if (!at_once || body.doing == Stage::kPreparing) return;
    Quit(m, generation.cut);
    Turn(m, Stage::kWaiting);
    Follow(m);
  }

  void Follow(int32_t m) {
    Body& body = bodies_[m];
    const bool older = spec_.planted == Planted::kTakesOlderCall && body.call;
    if (!SeesChange(body) && !older) return;
    const auto& members = body.call->members;
    if (std::ranges::find(members, m) == members.end()) {
      Turn(m, Stage::kDone);
      roster_.Finished(m, At(now_));
      return Obey();
    }
    body.in = body.call->number;
    Turn(m, Stage::kForming);
    Group& group = groups_[body.in];
    if (group.broken) return NoticeBroken(m);
    group.came[m] = body.newcomer ? -1 : body.step;
    const bool dead = std::ranges::any_of(members, [&](int32_t e) { return !bodies_[e].alive; });
    if (dead) {
      group.broken = group.by_death = true;
      for (const auto& [each, step] : group.came) {
        if (bodies_[each].in == body.in && bodies_[each].doing == Stage::kForming)
          NoticeBroken(each);
      }
      return;
    }
    const size_t needed = spec_.planted == Planted::kFormsEarly ? 1 : members.size();
    if (group.came.size() >= needed) Form(body.in);
  }

  // All go on from the furthest step that any of them has made.
  void Form(int64_t number) {
    Group& group = groups_[number];
    group.formed = true;
    int32_t source = group.came.begin()->first;
    for (const auto& [m, step] : group.came) {
      if (step > group.came[source]) source = m;
    }
    if (spec_.planted == Planted::kWeightsOfRank0) source = group.members.front();
    const int64_t step = bodies_[source].step;
    const uint64_t weights = bodies_[source].weights;
    if (bodies_[source].newcomer) Break("a newcomer's weights were taken");
    if (step < furthest_ - 1) Break(fmt::format("steps {} to {} are lost", step + 1, furthest_));
    end_.repeated += furthest_ - step;
    for (const auto& [m, came] : group.came) {
      Later(m, Draw(50, 5 * kMilli), [this, m = m, step, weights, number] {
        Body& body = bodies_[m];
        if (body.step > step) Break(fmt::format("member {} goes back to step {}", m, step));
        if (!(spec_.planted == Planted::kNewcomerKeepsOwn && body.newcomer)) {
          body.step = step;
          body.weights = weights;
        }
        body.newcomer = false;
        After(Draw(50, 500), [this, m, number, step] {
          if (over_ || !bodies_[m].alive) return;
          roster_.Entered(m, number, step, At(now_));
          Obey();
        });
        Compute(m);
      });
    }
  }

  const LifeSpec spec_;
  std::mt19937_64 random_;
  Roster roster_;
  Time now_ = 0;
  Time last_fault_ = 0;
  int64_t next_ = 0;
  std::priority_queue<Event> events_;
  std::map<int32_t, Body> bodies_;
  std::map<int64_t, Group> groups_;
  std::vector<int32_t> called_;
  std::map<int64_t, uint64_t> weights_;  // By step.
  int64_t furthest_ = 0;
  bool over_ = false;
  LifeEnd end_;
};

}  // namespace

LifeEnd Live(const LifeSpec& spec) { return Life(spec).Run(); }

}  // namespace protium
