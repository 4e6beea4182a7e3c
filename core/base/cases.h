#pragma once

namespace maskscope {

// A visitor for std::visit that has one lambda for each case.
template <class... Fs>
struct Cases : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Cases(Fs...) -> Cases<Fs...>;

}  // namespace maskscope
