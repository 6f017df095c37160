"""How long the browser tests wait. What must come comes at once on a free machine; on one whose cores are shared it may
take seconds, and a test that is green has waited no longer than it had to.
"""

#: For what a page shows.
PAGE_S = 20
#: The longest that the service holds back an answer, which then says what it waited for ...
SERVICE_S = 30
#: ... and for that answer.
HTTP_S = 40
#: For a test with its fixtures: a browser and a service begin in the first of a module, and some tests wait often.
TEST_S = 180
