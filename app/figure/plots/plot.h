#pragma once
// The parts of plots: axes with ticks, and labels that keep clear of each other.

#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace maskscope {

struct PlotAxis {
    double low = 0, high = 1;
    bool logarithmic = false;
    double share(double value) const;  // 0 at low, 1 at high; values beyond them give < 0 or > 1
    double value(double share) const;
};

// A plot and its place; y grows upwards.
struct Plot {
    Rect rect;
    PlotAxis x, y;
    double unit = 1;  // as in Figure::unit
    Point at(double x_value, double y_value) const;
};

// Returns about `most` round numbers from low to high; on a logarithmic axis, powers of ten.
std::vector<double> ticks_of(const PlotAxis& axis, int most);

struct AxisOptions {
    std::vector<double> x, y;            // positions of ticks
    bool grid = true;                    // faint lines across the plot
    std::vector<std::string> y_words{};  // written instead of the numbers
    std::string x_name{}, y_name{};
};
// Draws the frame, its background, the ticks and their numbers: below, and on the left.
void draw_axes(Figure& figure, const Plot& plot, const AxisOptions& options);
inline constexpr double tick_room_left = 46, tick_room_below = 20;  // points

// Draws the letters of several variants next to each other; returns where they end.
double draw_letters(Figure& figure, const std::vector<int>& variants, Point at, double unit);

// Draws a text in lines of this width, broken at spaces. text.at: the top left corner. Returns the
// height of all lines.
double draw_paragraph(Figure& figure, Text text, double width);

// Returns the parts of a line between two heights; the rest is cut off.
std::vector<std::vector<Point>> cut_between(const std::vector<Point>& line, double top,
                                            double bottom);

// Finds space for the names of points, so that no name covers another name or a dot, or extends
// beyond the plot.
class PlotLabels {
public:
    PlotLabels(const Rect& room, double unit) : room_(room), unit_(unit) {}
    void keep_clear(const Rect& rect) { taken_.push_back(rect); }
    // Keeps the names off this line if possible.
    void keep_off(Point from, Point to) { lines_.emplace_back(from, to); }

    // Places the text next to the point, on the side away from `centre` if possible. If it has to
    // move, a line leads to it; if space is short, the text is shortened. Returns false if there is
    // no space at all.
    bool place(Figure& figure, Point point, double radius, Point centre, Text text);

private:
    std::optional<Rect> room_for(Point point, double radius, Point centre, double width,
                                 double height) const;
    bool is_free(const Rect& rect) const;
    int crossings(const Rect& rect) const;
    Rect room_;
    double unit_;
    std::vector<Rect> taken_;
    std::vector<std::pair<Point, Point>> lines_;
};

}  // namespace maskscope
