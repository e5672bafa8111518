-- fails: concat_ws|DATATYPE
SELECT concat_ws(',', map('a', 1)) AS x
