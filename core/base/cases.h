#pragma once

namespace maskscope {

// A visitor of std::visit, a lambda for each case.
template <class... Fs>
struct Cases : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Cases(Fs...) -> Cases<Fs...>;

}  // namespace maskscope
