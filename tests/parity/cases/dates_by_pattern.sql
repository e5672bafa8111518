SELECT to_date('04/07/2013', 'dd/MM/yyyy') AS day, to_timestamp('2013-7-4 5', 'yyyy-M-d H') AS at
