/* Pixels of a row: one walk over the edges, at a cost of pixels and not of slices. */
#include "columns_detail.h"

#include <string.h>

#define GAP_PX 4.0
#define FEW 8
#define AHEAD 8

void busy_before(const Detail *detail, const int64_t *times, size_t count, int64_t *busy, int64_t *before) {
    size_t blocks = 0, step = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t *own = busy + i * detail->kinds;
        if (i && times[i] < times[i - 1]) blocks = 0;
        blocks = blocks_begun(detail, blocks, &step, times[i]);
        size_t at = begun_within(detail, blocks, times[i]);
        before[i] = (int64_t)at;
        sum_before(detail, at, own);
        if (!at) continue;
        int64_t end = end_of(detail, at - 1, detail->narrow), *last = &own[detail->place[detail->kind[at - 1]]];
        if (end > times[i]) *last = less_ns(*last, less_ns(end, times[i]));
    }
}

/* What one pixel shows; `code` is the kind with the shade of the slice that stands for it, `passed` says that nothing
   begins in it. */
typedef struct {
    int64_t total;
    uint8_t kind, code, touched, passed;
} Pixel;

/* Goes from edge to edge. The slices before `at` begin before `edges[x]`; the last of them, of the kind at `place`,
   reaches to `open_to`. `sums[turn]` is what the slices before `summed` last. `blocks` knows, some edges ahead of where
   many slices begin, how many blocks begin before each, so that their memory is there when its turn comes; `ahead` is
   the first edge of which that is not known, `known` what the one before told. */
typedef struct {
    const Detail *detail;
    const int64_t *edges;
    size_t width, x, at, step, summed, ahead, known;
    size_t blocks[AHEAD];
    int64_t open_to;
    int64_t sums[2][MOST_KINDS];
    uint8_t place;
    int turn, narrow;
} Walk;

/* Finds the blocks of the edges from `x` on, some ahead, and asks for the last of each. */
static void look_ahead(Walk *walk, size_t x) {
    if (walk->ahead < x) walk->ahead = x;
    for (; walk->ahead <= walk->width && walk->ahead < x + AHEAD; walk->ahead++) {
        size_t blocks = blocks_begun(walk->detail, walk->known, &walk->step, walk->edges[walk->ahead]);
        walk->blocks[walk->ahead % AHEAD] = blocks;
        if (blocks != walk->known) fetch_block(walk->detail, blocks - 1);
        walk->known = blocks;
    }
}

static void begin_walk(Walk *walk, const Detail *detail, const int64_t *edges, size_t width) {
    walk->detail = detail;
    walk->edges = edges;
    walk->width = width;
    walk->narrow = detail->narrow;
    walk->x = walk->step = walk->place = 0;
    walk->turn = 0;
    walk->known = blocks_begun(detail, 0, &walk->step, edges[0]);
    walk->step = 0; /* the way to the first edge tells nothing of the way to the next */
    walk->ahead = 1;
    walk->at = begun_within(detail, walk->known, edges[0]);
    walk->summed = SIZE_MAX;
    walk->open_to = edges[0];
    if (!walk->at) return;
    walk->open_to = end_of(detail, walk->at - 1, walk->narrow);
    walk->place = detail->place[detail->kind[walk->at - 1]];
}

/* Of two kinds that are as busy the first wins; a pixel without busy time takes the kind of what begins in it first. */
static Pixel pick(const Walk *walk, const int64_t *busy, size_t begun) {
    size_t most = 0;
    int64_t total = busy[0], best = busy[0];
    for (size_t k = 1; k < walk->detail->kinds; k++) {
        total = add_ns(total, busy[k]);
        most = busy[k] > best ? k : most;
        best = busy[k] > best ? busy[k] : best;
    }
    if (!total) most = walk->detail->place[walk->detail->kind[begun]];
    return (Pixel){total, walk->detail->kind_of[most], walk->detail->kind_of[most], 1, 0};
}

/* A pixel in which nothing begins shows what is still open. */
static Pixel pass(const Walk *walk, int64_t from, int64_t edge) {
    int64_t reach = walk->open_to < edge ? walk->open_to : edge;
    int64_t total = reach > from ? less_ns(reach, from) : 0;
    /* edges that fall may lie before the first one, where nothing is open */
    if (!total || !walk->at) return (Pixel){0, walk->detail->kinds ? walk->detail->kind_of[0] : 0, 0, 0, 1};
    return (Pixel){total, walk->detail->kind_of[walk->place], walk->detail->kind[walk->at - 1], 1, 1};
}

/* The sums before the old place and before the new one, block by block, give what all that began lasts. */
static void add_many(Walk *walk, size_t at, int64_t *busy) {
    const Detail *detail = walk->detail;
    if (walk->summed != walk->at) sum_before(detail, walk->at, walk->sums[walk->turn]);
    const int64_t *earlier = walk->sums[walk->turn];
    int64_t *later = walk->sums[walk->turn ^= 1];
    sum_before(detail, at, later);
    for (size_t k = 0; k < detail->kinds; k++) busy[k] = less_ns(later[k], earlier[k]);
    walk->summed = at;
}

/* Adds up slice by slice. `codes` receives for each kind the shade of that slice of it that is busy longest in the pixel,
   the first of several; `alike` says that there is one kind. */
INLINE size_t add_few(const Walk *walk, int64_t from, int64_t edge, int64_t *busy, uint8_t *codes, int alike, int narrow) {
    const Detail *detail = walk->detail;
    int64_t longest[MOST_KINDS];
    size_t at = walk->at;
    for (size_t k = 0; k < (alike ? 1 : detail->kinds); k++) {
        busy[k] = 0;
        longest[k] = -1;
    }
    if (walk->open_to > from && at) {
        uint8_t place = alike ? 0 : walk->place;
        longest[place] = less_ns(walk->open_to < edge ? walk->open_to : edge, from);
        codes[place] = detail->kind[at - 1];
    }
    for (; at < detail->count; at++) {
        int64_t start = start_of(detail, at, narrow), length = length_of(detail, at, narrow);
        if (start >= edge) break;
        int64_t within = less_ns(edge, start);
        uint8_t code = detail->kind[at], place = alike ? 0 : detail->place[code];
        within = length < within ? length : within;
        busy[place] = add_ns(busy[place], length);
        codes[place] = within > longest[place] ? code : codes[place];
        longest[place] = within > longest[place] ? within : longest[place];
    }
    return at;
}

INLINE Pixel cross(Walk *walk, int64_t from, int64_t edge, int narrow) {
    const Detail *detail = walk->detail;
    int64_t busy[MOST_KINDS];
    uint8_t codes[MOST_KINDS];
    size_t at, begun = walk->at;
    int few = begun + FEW >= detail->count || start_of(detail, begun + FEW, narrow) >= edge;
    if (few) {
        at = detail->kinds == 1 ? add_few(walk, from, edge, busy, codes, 1, narrow)
                                : add_few(walk, from, edge, busy, codes, 0, narrow);
    } else {
        look_ahead(walk, walk->x + 1);
        at = begun_within(detail, walk->blocks[(walk->x + 1) % AHEAD], edge);
        add_many(walk, at, busy);
    }
    if (walk->open_to > from) busy[walk->place] = add_ns(busy[walk->place], less_ns(walk->open_to, from));
    walk->at = at;
    walk->open_to = end_of(detail, at - 1, narrow);
    walk->place = detail->place[detail->kind[at - 1]];
    if (walk->open_to > edge) busy[walk->place] = less_ns(busy[walk->place], less_ns(walk->open_to, edge));
    Pixel pixel = pick(walk, busy, begun);
    if (few) pixel.code = codes[detail->place[pixel.kind]];
    return pixel;
}

INLINE Pixel step_on(Walk *walk, int narrow) {
    int64_t from = walk->edges[walk->x], edge = walk->edges[walk->x + 1];
    int begins = walk->at < walk->detail->count && start_of(walk->detail, walk->at, narrow) < edge;
    Pixel pixel = begins ? cross(walk, from, edge, narrow) : pass(walk, from, edge);
    walk->x++;
    return pixel;
}

static Pixel next_pixel(Walk *walk) { return walk->narrow ? step_on(walk, 1) : step_on(walk, 0); }

static double fraction(int64_t total, int64_t from, int64_t to) {
    int64_t span = less_ns(to, from);
    return (double)total / (double)(span > 1 ? span : 1);
}

/* How many pixels from `x` on lie between edges that coincide: a window may be narrower in ns than in pixels. They show
   what the next pixel does, which is of the same moment; the last ones have none. */
static size_t without_time(const int64_t *edges, size_t x, size_t width) {
    size_t count = 0;
    while (x + count < width && edges[x + count] == edges[x + count + 1]) count++;
    return x + count < width ? count : 0;
}

static size_t strength(double busy) {
    volatile double scaled = busy * (STRENGTHS - 1); /* not fused with the sum, or the twin would round otherwise */
    double level = scaled + 0.5;
    return level >= STRENGTHS ? STRENGTHS - 1 : level > 0 ? (size_t)level : 0;
}

/* Blanks the last pixel of slices of some width whose follower begins at once; `first` to `last` are those that show. */
static void keep_apart(const Detail *detail, size_t first, size_t last, const Paint *paint, uint32_t *line) {
    int64_t begin = paint->edges[0], span = less_ns(paint->edges[paint->width], begin);
    double scale = (double)paint->width / (double)(span > 1 ? span : 1);
    if (last - first > paint->width) return;
    for (size_t i = first; i + 1 < last; i++) {
        int64_t end = end_of(detail, i, detail->narrow);
        if ((double)length_of(detail, i, detail->narrow) * scale < GAP_PX) continue;
        if ((double)less_ns(start_of(detail, i + 1, detail->narrow), end) * scale >= 1.0) continue;
        double x = (double)less_ns(end, begin) * scale;
        if (x < 1.0 || x >= (double)paint->width + 1.0) continue;
        line[(size_t)x - 1] = paint->ground[(size_t)x - 1];
    }
}

/* Ends a run of pixels that show nothing but the slice at `place`. */
static void end_run(const Detail *detail, Bars *bars, int32_t row, size_t place, size_t first, size_t last) {
    if (place == SIZE_MAX || last - first < (size_t)bars->least || bars->count == bars->room) return;
    int32_t slice = (int32_t)detail->slice[place];
    bars->items[bars->count++] = (Bar){row, (int32_t)place, (int32_t)first, (int32_t)last, slice, detail->kind[place]};
}

/* How many of the pixels from `x` on show the same as the one before, in which nothing begins: `alone` and wholly busy,
   or nothing at all. */
static size_t run_on(Walk *walk, size_t x, int alone) {
    const Detail *detail = walk->detail;
    int64_t until = walk->at < detail->count ? start_of(detail, walk->at, detail->narrow) : INT64_MAX;
    size_t first = x;
    if (alone && walk->open_to < until) until = walk->open_to;
    while (x < walk->width && walk->edges[x + 1] <= until && walk->edges[x + 1] >= walk->edges[x]) x++;
    while (x > first && walk->edges[x] == walk->edges[x - 1]) x--; /* that one shows what comes after it */
    walk->x += x - first;
    return x - first;
}

void paint_line(const Detail *detail, const Paint *paint, uint32_t *line, Bars *bars, int32_t row) {
    const int64_t *edges = paint->edges;
    size_t width = paint->width, run = 0, of = SIZE_MAX; /* since when the pixels show slice `of` alone */
    Walk walk;
    begin_walk(&walk, detail, edges, width);
    size_t shown = walk.at;
    if (shown && end_of(detail, shown - 1, detail->narrow) > edges[0]) shown--;
    for (size_t x = 0; x < width; x++) {
        size_t first = x;
        for (size_t skipped = without_time(edges, x, width); skipped; skipped--, x++) next_pixel(&walk);
        Pixel pixel = next_pixel(&walk);
        size_t alone = pixel.passed && pixel.touched ? walk.at - 1 : SIZE_MAX;
        if (alone != of) {
            end_run(detail, bars, row, of, run, first);
            run = first;
            of = alone;
        }
        const uint32_t *colours = paint->colours + pixel.code * STRENGTHS;
        uint32_t colour = colours[strength(fraction(pixel.total, edges[x], edges[x + 1]))];
        for (size_t same = first; same <= x; same++) line[same] = pixel.touched ? colour : paint->ground[same];
        if (!pixel.passed) continue;
        size_t more = run_on(&walk, x + 1, pixel.touched);
        for (size_t same = x + 1; same <= x + more; same++)
            line[same] = pixel.touched ? colours[STRENGTHS - 1] : paint->ground[same];
        x += more;
    }
    end_run(detail, bars, row, of, run, width);
    if (walk.at > shown) keep_apart(detail, shown, walk.at, paint, line);
}
