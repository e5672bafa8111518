-- tables: typed
SELECT UPPER(word), coalesce(split('007,2', ',')[0], 0), nvl(word, 'x'), nullif(word, 'abc'), nvl2(word, 1, 2),
       isnull(word), trim(word), trim('a' FROM word), TRIM(TRAILING 'c' FROM word), ltrim('a', word), btrim(word, 'a'),
       substring(word, 2), substr(word, 1), substring(word FROM 1 FOR 2), locate('a', word), position('b' IN word),
       overlay(word PLACING 'x' FROM 1), lpad(word, 5), replace(word, 'a'), regexp_replace(word, 'a', 'b'),
       regexp_extract(word, '(b)'), round(real), round(real, 1), ceil(real), ceiling(real), floor(real), log(2.0D),
       sqrt(4), power(2, 3), pow(2, 3), sign(real), signum(real), pi() > 3, e() > 2, abs(tiny), mod(whole, 2), pmod(whole, 2),
       string(tiny), int('1'), upper(string(tiny)), concat_ws(',', word, 'x'), date_format(day, 'yyyy'), size(array(1, 2)), array(1, 2)[0],
       element_at(map('a', 1), 'a'), map('a', 1)['a'], named_struct('a', tiny).a, transform(array(1, 2), x -> x + 1)[0],
       aggregate(array(1, 2), 0, (a, x) -> a + x), exists(array(1), x -> x > 0), sort_array(array(2, 1))[0],
       mask(word), str_to_map('a:1')['a'], typeof(1), shiftleft(tiny, 1), like(word, 'a')
FROM typed
