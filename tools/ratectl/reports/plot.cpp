// SPDX-License-Identifier: Apache-2.0
#include "ratectl/reports/plot.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "grammar/duration.hpp"

namespace ratectl {

namespace {

using simulation::Timeline;

constexpr std::size_t rows_most = 20;
constexpr char admitted_mark = '#';
constexpr char rejected_mark = 'x';
constexpr char quota_mark = '|';

struct Row {
    std::string from;
    double admitted = 0;  // a second
    double rejected = 0;
};

struct Picture {
    std::string title;
    std::string slice;
    std::vector<Row> rows;
};

std::string duration_text(std::int64_t ms) {
    return ratecoord::grammar::format_duration(std::chrono::milliseconds(ms));
}

Picture picture_of(const Plot& plot, std::int64_t slice_ms) {
    const Timeline coarse = plot.timeline.in_slices(slice_ms);
    const double divisor = static_cast<double>(coarse.slice_ms()) / 1000 * plot.runs;
    Picture picture{plot.title, duration_text(coarse.slice_ms()), {}};
    std::int64_t from = 0;
    for (const auto& slice : coarse.slices()) {
        picture.rows.push_back({duration_text(from), static_cast<double>(slice.admitted) / divisor,
                                static_cast<double>(slice.rejected) / divisor});
        from += coarse.slice_ms();
    }
    return picture;
}

// The characters of one bar, on a scale of `columns` characters for `most` a second.
class Bars {
  public:
    Bars(double most, double quota, std::size_t columns)
        : most_(most), quota_(quota), columns_(columns) {}

    std::string bar(const Row& row) const {
        const auto admitted = column_of(row.admitted);
        const auto all =
            std::max(admitted + (row.rejected > 0 ? 1 : 0), column_of(row.admitted + row.rejected));
        std::string text(admitted, admitted_mark);
        text.resize(std::max(all, admitted), rejected_mark);
        if (quota_ > 0) {
            // The mark stands behind the last column that the quota fills, and hides nothing.
            const auto mark = column_of(quota_);
            text.resize(std::max(text.size(), mark), ' ');
            return text.substr(0, mark) + quota_mark + text.substr(mark);
        }
        return text;
    }

  private:
    std::size_t column_of(double rate) const {
        if (rate <= 0 || most_ <= 0) return 0;
        const auto columns = static_cast<double>(columns_ - 2) * rate / most_;
        return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(columns)));
    }

    double most_;
    double quota_;
    std::size_t columns_;
};

std::string tinted(const std::string& bar, const Console& console) {
    std::string text;
    for (std::size_t begin = 0; begin < bar.size();) {
        const auto end = std::min(bar.find_first_not_of(bar[begin], begin), bar.size());
        const auto tint = bar[begin] == admitted_mark   ? Tint::good
                          : bar[begin] == rejected_mark ? Tint::alarm
                                                        : Tint::none;
        text += console.tinted(bar.substr(begin, end - begin), tint);
        begin = end;
    }
    return text;
}

}  // namespace

std::string render_plots(std::span<const Plot> plots, const Axes& axes, const Console& console) {
    std::int64_t longest = 1;
    for (const auto& plot : plots) {
        longest = std::max(longest, plot.timeline.slice_for(rows_most));
    }
    std::vector<Picture> pictures;
    double most = axes.quota;
    std::size_t from_width = 4;
    for (const auto& plot : plots) {
        pictures.push_back(
            picture_of(plot, axes.same_slices ? longest : plot.timeline.slice_for(rows_most)));
        for (const auto& row : pictures.back().rows) {
            most = std::max(most, row.admitted + row.rejected);
            from_width = std::max(from_width, row.from.size());
        }
    }
    const int digits = most >= 10 ? 1 : 3;
    const std::size_t number_width =
        std::max<std::size_t>(8, fmt::format("{:.{}f}", most, digits).size());
    const std::size_t before = from_width + 2 * (number_width + 2) + 2;
    const Bars bars(most, axes.quota, axes.width > before + 12 ? axes.width - before : 12);
    std::string text;
    for (const auto& picture : pictures) {
        text += fmt::format("\n{}, a row is {}\n", picture.title, picture.slice);
        text += fmt::format("{:>{}}  {:>{}}  {:>{}}\n", "FROM", from_width, "ADMITTED",
                            number_width, "REJECTED", number_width);
        for (const auto& row : picture.rows) {
            text += fmt::format("{:>{}}  {:>{}.{}f}  {:>{}.{}f}  {}\n", row.from, from_width,
                                row.admitted, number_width, digits, row.rejected, number_width,
                                digits, tinted(bars.bar(row), console));
        }
    }
    return text;
}

}  // namespace ratectl
